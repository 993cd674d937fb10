"""What the Java agent does that surprises people, and what this one does with it, in both modes.

The table is data: documentation is printed from it, and a test holds each row to the tests that prove it.
`python -m hookstepper.agent.compat` prints docs/compat.md. Sources: the upstream code of 1.1.2, and its
issues, whose numbers are given.
"""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.engine.compat import COMPAT as ENGINE
from hookstepper.engine.compat import Treatment


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One behaviour of the agent layer."""

    id: str
    treatment: Treatment
    upstream: str
    """What happens there."""
    here: str
    """What happens here where that differs: with `fixed`, or in both modes if it is repaired."""
    proof: str
    """Part of the names of the tests that show it."""
    issues: str = ""


AGENT: tuple[AgentRow, ...] = (
    AgentRow(
        "A1",
        "by mode",
        "Nothing removes `jump_to`: a hook that jumps to the model once loops for ever, and a run that "
        "was ended "
        "by a jump ends the next run of its thread too.",
        "A router that reads `jump_to` takes it out, and a new run begins without it.",
        "case_025, case_029",
        "#4039, #4421, #4427",
    ),
    AgentRow(
        "A2",
        "kept",
        "A jump that a hook wrote as an enum comes back from a checkpoint as a list, which no router "
        "reads; one "
        "that was written as text goes on to work. So the limit hooks do not end the next run, and messages "
        "hooks do.",
        "",
        "a_limit_with_a_saver",
    ),
    AgentRow(
        "A3",
        "kept",
        "A hook that declares no jump may write one all the same: its own edge does not read it, the next "
        "router that does obeys it.",
        "",
        "case_027",
    ),
    AgentRow(
        "A4",
        "by mode",
        "An after-agent hook that may jump to the end leads back to the first after-agent hook: with a "
        "jump in "
        "the state the chain never ends.",
        "It leads to END.",
        "case_030",
    ),
    AgentRow(
        "A5",
        "by mode",
        "The first before-model hook cannot jump to the model: the run fails.",
        "It goes on to the model node, past the other before-model hooks.",
        "case_028",
    ),
    AgentRow(
        "A6",
        "by mode",
        "Without tools the edge behind the last after-model hook takes the jumps that another hook "
        "declares, the "
        "one registered last.",
        "It takes the jumps of its own hook.",
        "case_031",
    ),
    AgentRow(
        "A7",
        "by mode",
        "Positions declared on a hook class are not those of its subclasses, and a messages hook that "
        "declares "
        "none never runs.",
        "Declared positions are inherited, and such a hook runs at both positions of its kind.",
        "case_007, case_008",
    ),
    AgentRow(
        "A8",
        "by mode",
        "A hook of the user's own that could ask a person is never asked whether it wants to.",
        "It is asked.",
        "a_custom_hook_that_asks",
        "PR #4529",
    ),
    AgentRow(
        "A9",
        "by mode",
        "Feedback without a decision for a call that needed none drops the call.",
        "The call stays.",
        "case_046",
    ),
    AgentRow(
        "A10",
        "by mode",
        "A word left for the interruption hook is lost if the model is waiting for its tools.",
        "It is kept for the next round.",
        "case_055",
    ),
    AgentRow(
        "A11",
        "by mode",
        "Looking for personal data in answers fails on a tool-calling message without text.",
        "Such a message is skipped.",
        "case_064",
    ),
    AgentRow(
        "A12",
        "by mode",
        "A user message that was redacted loses its pictures.",
        "It keeps them.",
        "case_066",
    ),
    AgentRow(
        "A13",
        "by mode",
        "Hooks that change the last answer, or put another one behind it, do not change what is under the "
        "output key: `call` gives what was redacted, or the message that asks for a tool.",
        "It is the newest answer there too, unless the key has a strategy of its own.",
        "case_063, the_output_key_follows",
    ),
    AgentRow(
        "A14",
        "by mode",
        "The thread limits of the limit hooks count one run.",
        "They count the thread: the count is a state key.",
        "a_thread_limit",
    ),
    AgentRow(
        "A15",
        "by mode",
        "A tool that returns directly has no effect unless the return-direct hook was added.",
        "An agent with such a tool has the hook.",
        "without_the_hook_return_direct",
        "#3885, #4462",
    ),
    AgentRow(
        "A16",
        "by mode",
        "A summary puts the first user message there twice if it is among the newest, and replaces the "
        "history "
        "by an error text if the model fails.",
        "Once; and the history stays.",
        "stands_there_twice, costs_the_history",
    ),
    AgentRow(
        "A17",
        "by mode",
        "Context editing clears nothing unless `clear_at_least` is given.",
        "It clears all candidates.",
        "by_default_nothing_is_ever_cleared",
    ),
    AgentRow(
        "A18",
        "by mode",
        "A model fallback takes any answer with the word `Exception:` for a failure, never asks the "
        "agent's own "
        "model in a stream, and leaves the system message out.",
        "It does none of this.",
        "case_091, a_fallback_does_not_get",
        "#2675",
    ),
    AgentRow(
        "A19",
        "by mode",
        "A tool retry repeats calls whose result has no status, such as the text of a tool's own error.",
        "It repeats those that failed.",
        "without_status_counts",
        "#4399",
    ),
    AgentRow(
        "A20",
        "by mode",
        "A model retry fails with a text that will not pass if it comes from the last attempt, and gives "
        "it back "
        "if it comes from an earlier one.",
        "It gives it back.",
        "with_one_attempt",
    ),
    AgentRow(
        "A21",
        "by mode",
        "A tool selection is cut in the order of a Java hash set, which may cost tools that were always "
        "to be "
        "there.",
        "Those stay; the model's choices are cut.",
        "a_cut_selection",
    ),
    AgentRow(
        "A22",
        "by mode",
        "A model that plays tools is not told what they do.",
        "It is told the description.",
        "what_a_played_tool_does",
    ),
    AgentRow(
        "A23",
        "by mode",
        "An agent called as a tool gets its instruction twice, the first time with its placeholders.",
        "Once.",
        "gets_its_instruction_twice",
        "#4394",
    ),
    AgentRow(
        "A24",
        "by mode",
        "`jump_to` goes from an agent into the graph around it, and into the next agent.",
        "It stays inside.",
        "a_jump_of_a_child",
    ),
    AgentRow(
        "A25",
        "by mode",
        "After a person has answered one agent of a flow, the next agent tries to resume and fails.",
        "It starts.",
        "an_answer_for_one_agent",
        "#4115, #4466",
    ),
    AgentRow(
        "A26",
        "by mode",
        "A loop with before-model hooks and without before-agent hooks makes one round, whatever it was "
        "told.",
        "It makes as many as it was told.",
        "case_099_a_loop",
    ),
    AgentRow(
        "A27",
        "by mode",
        "A flow agent that is given a saver and a compile configuration forgets the recursion limit of "
        "the latter.",
        "It keeps it.",
        "forgets_its_limit",
    ),
    AgentRow(
        "A28",
        "by mode",
        "All tasks handed to helpers share one thread, so that each sees those before it.",
        "Each begins afresh.",
        "tasks_share_a_thread",
    ),
    AgentRow(
        "A29",
        "by mode",
        "An agent that is given only `input` sends the model no message at all.",
        "The input becomes the user's message.",
        "case_097",
    ),
    AgentRow(
        "A30",
        "by mode",
        "An output schema behind an instruction is added once more at the second model call of a run.",
        "Once.",
        "schema_behind_an_instruction",
    ),
    AgentRow(
        "A31",
        "kept",
        "The instruction is added to the thread once a run, behind the user's message.",
        "",
        "case_095",
    ),
    AgentRow(
        "A32",
        "kept",
        "A message behind the model's tool calls, put there by an after-model hook, ends the run without "
        "them.",
        "",
        "case_033",
    ),
    AgentRow(
        "A33",
        "kept",
        "`call` on a run that waits for an approval gives the tool-calling message as if it were an answer.",
        "",
        "call_gives_the_waiting_message",
    ),
    AgentRow(
        "A34",
        "kept",
        "The cleaning of messages without text comes before the rings that hooks bring, so what those "
        "put in is "
        "not cleaned.",
        "",
        "case_010",
    ),
    AgentRow(
        "A35",
        "kept",
        "What a model raises becomes its answer, `Exception: ...`, and the run goes on; in a stream it "
        "fails the "
        "run.",
        "",
        "case_094",
    ),
    AgentRow(
        "A36",
        "repaired",
        "Pieces of streamed tool arguments that the text so far contains are dropped, which breaks arguments "
        "that repeat themselves.",
        "They are appended.",
        "pieces_of_a_stream",
    ),
    AgentRow(
        "A37",
        "repaired",
        "The error for a jump that leads nowhere swaps the names of its two nodes and names no hook; so "
        "do the "
        "errors for doubled hooks.",
        "They name hook, node, value and what is allowed; the upstream text is in `error.upstream`.",
        "case_002, case_028",
        "#3482",
    ),
    AgentRow(
        "A38",
        "by mode",
        "With an output key, an answer that is no stream in a streaming run (a fallback's, a ring's own, "
        "that of a model that could not begin) is not put among the messages.",
        "It is.",
        "an_answer_that_is_no_stream",
    ),
    AgentRow(
        "A39",
        "by mode",
        "A refusal that leaves the description of the question untouched gives the model the question as "
        "the reason.",
        "The model is told that no reason was given.",
        "a_refusal_without_words",
    ),
    AgentRow(
        "A40",
        "by mode",
        "An answered approval removes the first message that equals the one decided about, which may be an "
        "older one.",
        "It removes that very message.",
        "a_decided_message_takes_the_place",
    ),
    AgentRow(
        "A41",
        "by mode",
        "Tools that a skill has brought are unknown after an approval was answered, until the model is "
        "asked again.",
        "They are found again from the messages.",
        "tools_of_a_skill_are_unknown",
        "#4184",
    ),
    AgentRow(
        "A42",
        "repaired",
        "A copied request of a tool call loses the state and the run's configuration.",
        "A copy keeps them.",
        "a_copied_request_of_a_tool_call",
    ),
    AgentRow(
        "A43",
        "kept",
        "Two hooks of one name, and hooks where they cannot stand, are found when the graph is first used, "
        "not when the agent is made.",
        "",
        "case_002",
    ),
    AgentRow(
        "A44",
        "kept",
        "The model node changes messages of the state in place: an instruction that was filled in, a user "
        "message with the output schema behind it.",
        "",
        "the_instruction_is_filled, an_output_schema_is_asked_for",
    ),
    AgentRow(
        "A45",
        "kept",
        "A limit on tool calls lets the message that goes over it run whole, and ends the run before the "
        "next model call.",
        "",
        "case_070",
    ),
    AgentRow(
        "A46",
        "kept",
        "The output key holds every answer of the model, also one that only asks for tools.",
        "",
        "case_096",
    ),
)


def document() -> str:
    """The page docs/compat.md."""
    lines = [
        "# Rules: upstream and fixed",
        "",
        "Made by `python -m hookstepper.agent.compat`; edit the tables, not this page.",
        "",
        "The built-in agent and engine do what Spring AI Alibaba 1.1.2 does, its defects included, so "
        "that a run "
        'here tells what a run there would do. With `compat="fixed"` the rows marked *by mode* are repaired. '
        "Rows marked *kept* are the same in both modes, rows marked *repaired* differ from upstream in both.",
        "",
        "## Agent",
        "",
        "| | | upstream | here | reported |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.id} | {row.treatment} | {_cell(row.upstream)} | {_cell(row.here) or 'the same'} | "
        f"{row.issues} |"
        for row in AGENT
    ]
    lines += ["", "## Engine", "", "| | | upstream | here |", "|---|---|---|---|"]
    lines += [f"| {row.id} | {row.treatment} | {_cell(row.upstream)} | {_cell(row.here)} |" for row in ENGINE]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ") or "the same"


if __name__ == "__main__":
    import sys

    sys.stdout.write(document())
