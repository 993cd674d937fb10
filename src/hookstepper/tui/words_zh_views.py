"""The Chinese words of the inspector's views and the timeline, by their English text."""

from __future__ import annotations

_STATE: dict[str, str] = {
    "add": "添加",
    "was {value}": "原为 {value}",
    "Changed by {node} · step {n}": "{node} 的改动 · 第 {n} 步",
    "{before} → {after} items": "{before} → {after} 项",
    "{role} says": "{role} 说",
    "∅ wrote nothing": "∅ 没有写入",
    "∅ wrote {keys}: nothing became different": "∅ 写了 {keys}，值没有变",
    "{names} answered": "{names} 返回",
    "{role} asks for {names}": "{role} 要调用 {names}",
    "{n} tokens": "{n} 词元",
    "… {n} more changes, x shows all": "… 还有 {n} 处改动，x 全部显示",
    "The input. Nothing has been written yet.": "这是输入，还没有任何写入。",
    "/ find  e edit  W who wrote it": "/ 查找  e 修改  W 谁写的",
    "1 item": "1 项",
    "{n} items": "{n} 项",
    "1 key": "1 个键",
    "{n} keys": "{n} 个键",
    "not set": "没有设置",
    "The state is empty.": "状态是空的。",
    "unit: s": "秒",
    "unit: m": "分",
    "unit: h": "时",
    "{text}: {n} of {count}": "{text}：第 {n} 处，共 {count} 处",
    "{text}: not found": "{text}：没有找到",
    "role: user": "用户",
    "role: assistant": "助手",
    "role: system": "系统",
    "role: instruction": "指令",
    "role: tool": "工具",
}

_NODE: dict[str, str] = {
    "State of {node}": "{node} 的状态",
    "framework: where every run begins; holds no code": "框架侧：每次运行从这里开始，没有代码",
    "framework: where every run ends; holds no code": "框架侧：每次运行到这里结束，没有代码",
    "framework (a node of your graph)": "框架侧（你的图里的节点）",
    "framework (a hook you registered, {nth})": "框架侧（你注册的钩子，{nth}）",
    "framework (a hook that is always added)": "框架侧（总会加上的钩子）",
    "framework (a graph inside this one)": "框架侧（图里的一张图）",
    "human: this node may ask you": "人：这个节点可能向你提问",
    "tool: {names}": "工具侧：{names}",
    "not known before it has run": "运行之前还不知道",
    "not known before it has run · gets checkpoint {id}": "运行之前还不知道 · 从检查点 {id} 开始",
    "graph node: {position}, {nth} of {count} to run, order {order}": (
        "图节点：{position}，共 {count} 个，{nth}运行，order {order}"
    ),
    "nothing": "没有",
    "agent process {host}": "智能体进程 {host}",
    "task {task}": "任务 {task}",
    "inside {node}": "在 {node} 里",
    "no source: built into the framework": "没有源码：框架自带",
    "reads {keys}": "读 {keys}",
    "writes {keys}": "写 {keys}",
    "gets checkpoint {id}": "从检查点 {id} 开始",
    "its result is checkpoint {id}": "结果存为检查点 {id}",
    "graph node that holds a graph of its own": "图节点，里面是另一张图",
    "graph node: {kind}": "图节点：{kind}",
    "may jump: {words}": "可跳转：{words}",
    "may ask you": "可能向你提问",
    "1 ring around its calls": "调用外面有 1 个环",
    "{n} rings around its calls": "调用外面有 {n} 个环",
    "last time: {what}": "上次：{what}",
    "(not run yet; {before})": "（还没有运行；{before}）",
    "(not run yet)": "（还没有运行）",
    "from {who}": "来自 {who}",
    "runs next": "下一个运行",
    "runs now": "正在运行",
    "not run yet": "还没有运行",
    "Rings, outermost first": "环，从外到里",
    "Its visits, Enter looks at one": "经过的记录，回车查看",
    "step {n}": "第 {n} 步",
    "The graph is not loaded yet.": "图还没有载入。",
    "No node is chosen: move the cursor on the graph.": "没有选中节点：在图上移动光标。",
    "… {n} earlier": "… 更早的 {n} 次",
    "1st": "第 1 个",
    "{n}th": "第 {n} 个",
    "plain": "普通节点",
    "subgraph": "子图",
}

_ROUTE: dict[str, str] = {
    ", ": "，",
    "whole list": "整个列表",
    "whole list, {items}": "整个列表，{items}",
    "1 message": "1 条消息",
    "{n} messages": "{n} 条消息",
    "all answered": "都已返回",
    "none open": "没有未返回的",
    "unset": "没有设置",
    "saw: set": "已设置",
    "saw: otherwise": "其他情况",
    "no answered request": "没有已答的请求",
    "no answer": "没有回答",
    "an answer": "有回答",
    "last is {role}": "末条是{role}",
    "1 call": "1 个调用",
    "{n} calls": "{n} 个调用",
    "{n} unanswered": "{n} 个未返回",
    "{calls} open": "{calls} 未返回",
    "After {node}, step {n} → {to}": "{node} 之后，第 {n} 步 → {to}",
    "set by {node}, step {n}": "由 {node} 在第 {n} 步设置",
    " (rule {n})": "（规则 {n}）",
    "Without rule {n}: → {to}": "没有规则 {n} 时：→ {to}",
    "{node} has no way out.": "{node} 没有出口。",
    "Its router may name other nodes, which show when a run goes there.": (
        "它的路由还可能去别的节点，运行走到时才会画出来。"
    ),
    "set by hand": "人工设置",
    "came with the input": "随输入带来",
    "next reader: {node}": "下一个读取者：{node}",
    "; some missing →{to}": "；有缺 →{to}",
    "jump_to decides: model, tool, end (any hook may have set it)": (
        "jump_to 决定：model、tool、end（任何钩子都可能设置它）"
    ),
    "no messages →{to}": "没有消息 →{to}",
    "assistant with calls →{to}": "助手有调用 →{to}",
    "assistant without →{to}": "助手无调用 →{to}",
    "tool response, all answered →{to}": "工具结果，都已返回 →{to}",
    "some missing →{to}": "有缺 →{to}",
    "anything else →{to}": "其他情况 →{to}",
    "jump_to, if it is one that this hook declares: {words}": "jump_to，如果是这个钩子声明过的：{words}",
    "always →{to}": "总是 →{to}",
    "else, its default edge →{to}": "否则走默认边 →{to}",
    "It would go elsewhere if": "这样会去别处",
    "{node} has one way out: {to}.": "{node} 只有一个出口：{to}。",
    "{node} goes to all of these: {to}.": "{node} 同时去这些：{to}。",
    "{node} chooses; it has not chosen yet.": "{node} 要做选择，还没有选过。",
    "by default": "默认",
    "always": "总是",
    "not set now": "现在没有设置",
    "never set in this run": "这次运行没有设置过",
    "read by {nodes}": "已被 {nodes} 读取",
    "rule": "规则",
    "saw": "看到",
    "fired": "命中",
    "no": "否",
    ", or ": "，或",
    "jump_to were {word}": "jump_to 是 {word}",
    "jump_to were not set": "jump_to 没有设置",
    "1 step ago": "1 步之前",
    "{n} steps ago": "{n} 步之前",
    "No router has decided anything yet.": "还没有路由做过决定。",
    "⊘ skips {nodes}": "⊘ 跳过 {nodes}",
    "no calls": "没有调用",
    "the answer held tool calls": "回答里有工具调用",
    "a call had no response": "有调用没有结果",
    "every call had a response": "每个调用都有结果",
    "the last message held tool calls": "最后一条消息有工具调用",
    "its router named it": "它的路由选了它",
}

_BREAKS: dict[str, str] = {
    "any node": "任何节点",
    "{node} asks: {what}": "{node} 问：{what}",
    "when {node} chooses": "{node} 选择时",
    "a call of tool {name}": "调用工具 {name}",
    "a request for tool {name}": "请求工具 {name}",
    "a model call in {node}": "{node} 里的模型调用",
    "a change of {key}": "{key} 改变",
    "a jump at {node}": "{node} 处的跳转",
    "an exception in {node}": "{node} 里的异常",
    "a question of {node}": "{node} 的提问",
    "the same call again of tool {name}": "再次同样调用工具 {name}",
    "the beginning of a turn": "一轮开始",
    "the entry of {node}": "进入 {node}",
    "if {condition}": "条件 {condition}",
    "hits {hits}": "次数 {hits}",
    "logs {text}": "记录 {text}",
    "once": "1 次",
    "off": "已停用",
    "Yours": "你的断点",
    "before {node}": "{node} 之前",
    "after {node}": "{node} 之后",
    "reached {n} times": "到过 {n} 次",
    "reached once": "到过 1 次",
    "Compiled into the graph": "编译在图里的",
    "Open questions of the program": "程序没有答复的提问",
    "None. {key} on a node sets one.": "没有。在节点上按 {key} 设置。",
    "The agent has printed nothing.": "智能体还没有输出。",
    "… {n} earlier pieces were left out": "… 更早的 {n} 段没有保留",
}

_ONION: dict[str, str] = {
    "This graph has no hooks of this ring at its top.": "这张图的最外层没有这一环的钩子。",
    "ring: agent": "智能体",
    "ring: model": "模型",
    "ring: tool": "工具",
    "turn {n} of {count} ◀ ▶": "第 {n} 轮，共 {count} 轮 ◀ ▶",
    "wrote {keys}": "写了 {keys}",
    "raw answer: {what}": "原始输出：{what}",
    "raw answer": "原始输出",
    "No hooks in this graph; rings of a model call appear when one is made.": (
        "这张图没有钩子；有模型调用时会出现它的环。"
    ),
    "⊘ skipped": "⊘ 被跳过",
    "⊘ skipped by {node}, jump {word}": "⊘ 被 {node} 跳过，jump {word}",
    "⊘ skipped by {node}": "⊘ 被 {node} 跳过",
    "no change": "没有改动",
    "changed": "有改动",
    "turns": "各轮",
    "no answer in the state": "状态里没有回答",
    "(saw what {hooks} left)": "（看到的是 {hooks} 改过的）",
    "nothing to ask": "没有要问的",
    "calls changed": "调用被改",
    "changed the response": "改了结果",
    "passed on": "原样传下",
    "not called yet in this turn": "这一轮还没有调用",
    "asks for {names}": "要调用 {names}",
    "raw": "原始",
    "no tool calls": "没有工具调用",
    "no call needs approval": "没有需要批准的调用",
    "−1 line": "−1 行",
    "−{n} lines": "−{n} 行",
    "+1 line": "+1 行",
    "+{n} lines": "+{n} 行",
    "1 word": "1 处用词",
    "{n} words": "{n} 处用词",
    "1 turn so far": "到现在 1 轮",
    "{n} turns so far": "到现在 {n} 轮",
    "▶ runs next": "▶ 下一个运行",
    "▶ runs now": "▶ 正在运行",
    "no such node in this graph": "这张图里没有这种节点",
    "1 line of text": "1 行文字",
    "{n} lines of text": "{n} 行文字",
    "empty": "空",
    "In the order of execution": "按执行顺序",
    "way in": "进入",
    "way out": "返回",
    "sees the raw answer": "看到原始输出",
    "waits for you": "等你答复",
    "{n} more": "还有 {n} 处",
    "Nothing has run in this turn yet.": "这一轮还没有运行。",
    "why backwards?": "为什么反序？",
    "sees what {hooks} left": "看到的是 {hooks} 改过的",
    "turn {n}": "第 {n} 轮",
    "setup": "准备",
    "end": "收尾",
    ", . look back   < > marks   G live": ", . 回看   < > 标记   G 最新",
    "marks": "标记",
    "time": "用时",
    "tokens": "词元",
    "the input, looking back": "输入，回看",
    "step {n} of {count}, looking back": "第 {n} 步，共 {count} 步，回看",
    "human: you": "人：等你",
    "approved": "已批准",
    "edited": "已修改",
    "rejected": "已驳回",
    "responded": "已直接回复",
    "patched": "已改写",
    "skipped": "已跳过",
}

_TALK: dict[str, str] = {
    "wrote": "写入",
    "then": "去向",
    "This state has no messages key.": "状态里没有消息键。",
    "… {n} earlier messages, Enter shows them": "… 更早的 {n} 条消息，回车显示",
    "… {n} earlier calls, Enter shows them": "… 更早的 {n} 次调用，回车显示",
    "… {n} more lines, Enter shows them": "… 还有 {n} 行，回车显示",
    "the input": "输入",
    "{node}, step {n}": "{node}，第 {n} 步",
    "No tool was asked for yet.": "还没有要求调用工具。",
    "not needed": "不需要",
    "not asked so far": "还没问",
    "open": "未决定",
    "ran undecided": "未经决定就执行了",
    "mocked": "模拟",
    "answered without it": "没有执行就答复了",
    "dropped": "被丢弃",
    "proposed": "已提出",
    "id": "编号",
    "approval": "批准",
    "asked / sent / used": "请求 / 发出 / 实际",
    "result": "结果",
    "status": "状况",
    "same": "相同",
    "the same": "相同",
    "asked": "请求",
    "sent": "发出",
    "used": "实际",
    "error": "错误",
    "asked for by {node}, step {n}": "{node} 在第 {n} 步提出",
    "ran in step {n}": "第 {n} 步执行",
}

_EXPLAIN: dict[str, str] = {
    "All its visits": "经过的记录",
    "Close": "关闭",
    "what other descriptions of this router say": "别处对这个路由的说法",
    "Other descriptions of this router add a rule that tools which return directly end the run here, say "
    "that anything else goes back to the model, and that endless loops are found when the graph is compiled. "
    "The source has none of the three; warnings about loops and jumps are this tool's own.": (
        "别处的说法会多一条“直接返回的工具在这里结束运行”，说其他情况回到模型，还说编译时会发现死循环。"
        "源码里三条都没有；关于循环和跳转的警告是本工具自己加的。"
    ),
    "It may ask you. The run then waits, and nothing passes the question by itself.": (
        "它可能向你提问。那时运行会等着，没有什么会自己越过这个提问。"
    ),
    "Hooks are compiled into the graph: this one has {n} hook nodes. The loop is a cycle of "
    "edges that you can "
    "see, not a while in someone's code. Move the cursor on a node.": (
        "钩子被编译成图的节点：这张图有 {n} 个。循环是看得见的边，不是谁代码里的 "
        "while。把光标移到一个节点上。"
    ),
    "{node} is after-hook {place} of {count} to run. After-hooks run backwards: the hook "
    "registered last runs "
    "first, so that each hook wraps all that were registered after it, like a ring.": (
        "{node} 是后置钩子，共 {count} 个，第 {place} 个运行。后置钩子反序：最后注册的最先运行，"
        "所以每个钩子像环一样包住在它之后注册的钩子。"
    ),
    "{node} is the exit: an answer without tool calls and jump_to = end lead here, so that "
    "what is to be done "
    "after the agent is done also on an early end.": (
        "{node} 是出口：没有工具调用的回答和 jump_to = end 都到这里，提前结束时收尾也照样执行。"
    ),
    "It declares no jump, so its edge never reads jump_to.": "它没有声明跳转，所以它的边从不读 jump_to。",
    "This run: entered {count}, from {nodes}.": "这次运行：进入 {count}，来自 {nodes}。",
    "Fixed when the graph was compiled: the loop is an edge you can see, not a while in someone's code.": (
        "编译图时就定下来了：循环是看得见的边，不是谁代码里的 while。"
    ),
    "This graph has {n} nodes and no hooks. Move the cursor on one of them.": (
        "这张图有 {n} 个节点，没有钩子。把光标移到一个节点上。"
    ),
    "START is where every run begins. It holds no code.": "START 是每次运行开始的地方，没有代码。",
    "END is where every run ends. It holds no code.": "END 是每次运行结束的地方，没有代码。",
    "{node} is before-hook {place} of {count} here; they run in the order of registration.": (
        "{node} 是这里的前置钩子，共 {count} 个，第 {place} 个；按注册顺序运行。"
    ),
    "The model node reads the messages of the state and appends the answer: text, or calls of tools.": (
        "模型节点读状态里的消息，把回答加在后面：文字，或者工具调用。"
    ),
    "The tool node runs the calls that the last assistant message asks for ({names}) and "
    "writes one result for "
    "each.": "工具节点执行最后一条助手消息要的调用（{names}），每个调用写一个结果。",
    "{node} holds a graph of its own; s goes into it.": "{node} 里面是另一张图；s 进入。",
    "It declares that it may jump: {words}. Its edge reads jump_to, whoever wrote it, and "
    "takes it if declared.": ("它声明可以跳转：{words}。它的边会读 jump_to，不管是谁写的，声明过就照办。"),
    "This run: not entered yet.": "这次运行还没有进入过。",
    "{n} times": "{n} 次",
    "twice": "2 次",
    "In the Java source: {name}.": "在 Java 源码里：{name}。",
    "{node} is the only before-agent hook: it runs once, before the first turn.": (
        "{node} 是唯一的智能体前钩子：第一轮之前运行一次。"
    ),
    "{node} is the only before-model hook: it runs in every turn.": "{node} 是唯一的模型前钩子：每轮都运行。",
    "{node} is the only after-model hook: it runs in every turn.": "{node} 是唯一的模型后钩子：每轮都运行。",
    "{node} is the only after-agent hook: it runs once, after the last turn.": (
        "{node} 是唯一的智能体后钩子：最后一轮之后运行一次。"
    ),
    "As the first it is the only one that sees the raw answer of the model.": (
        "它最先运行，只有它看到模型的原始输出。"
    ),
    "{node} is the entry: the edge from START leads here.": "{node} 是入口：START 的边到这里。",
    "{node} is the loop entry, so it is where every turn begins: the tool node comes back "
    "here, and jump_to = "
    "model leads here, never straight to the model.": (
        "{node} 是循环入口，每一轮从这里开始：工具节点回到这里，jump_to = model 也到这里，不会直接到模型。"
    ),
    "{node} is the loop exit: after it the router decides between tools, another turn and the way out. That "
    "router obeys a jump_to that any hook has set, declared or not.": (
        "{node} 是循环出口：它之后由路由决定去工具、再来一轮，还是出去。这个路由听从任何钩子设置的 jump_to，"
        "不管有没有声明。"
    ),
    "{node} is the loop exit: after it the run goes to tools, to another turn, or out.": (
        "{node} 是循环出口：它之后去工具、再来一轮，或者出去。"
    ),
    "{node} is a node of your graph: {place}.": "{node} 是你的图里的节点：{place}。",
    "Interceptors are no nodes: they are rings around the call in here: {names}.": (
        "拦截器不是节点，而是这里的调用外面的环：{names}。"
    ),
}

VIEWS: dict[str, str] = {**_STATE, **_NODE, **_ROUTE, **_BREAKS, **_ONION, **_TALK, **_EXPLAIN}
