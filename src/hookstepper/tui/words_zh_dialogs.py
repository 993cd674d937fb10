"""Chinese of the dialogs, the palette and what refusals say."""

from __future__ import annotations

DIALOGS: dict[str, str] = {
    "a command, as in scripts: next, break NODE, jump end": "命令，和脚本里一样：next、break NODE、jump end",
    "The screen of hookstepper failed; the agent process is ended with it.": (
        "hookstepper 自己的界面出错了；智能体进程也随之结束。"
    ),
    "saved {path}": "已保存 {path}",
    "copied, {n} characters": "已复制，{n} 个字符",
    "a command, a node, a theme": "命令、节点、主题",
    "nothing is held, so there is nothing to jump from": "没有停住的节点，无从跳转",
    "no question is open": "没有待答的问题",
    "the target is not loaded": "目标没有载入",
    "a run is under way": "正在运行",
    "the state can be edited while a run is held": "运行停住时才能修改状态",
    "there are no more tabs": "没有更多标签",
    "p stops a run": "p 让运行停住",
    "R loads it again": "R 重新载入",
    "Enter takes it, Esc leaves it as it was, tab to the next": "Enter 采用，Esc 保持原样，tab 下一项",
    "sends {kind}: {value}": "将发送{kind}：{value}",
    "Esc: the run goes on waiting": "Esc：继续等待",
    "reason": "理由",
    "the result": "结果",
    "your answer": "你的答复",
    "arguments are a JSON object": "参数是一个 JSON 对象",
    "arguments": "参数",
    "Edit the state": "修改状态",
    "by hand, marked so in the record": "人工，记录里会标明",
    "nothing stands there now": "现在这里没有值",
    "now: {value}": "现在：{value}",
    "path": "路径",
    "new value, JSON": "新值，JSON",
    "^z takes it back": "^z 撤回",
    "this engine cannot do it here": "这个引擎在这里做不到",
    "This node kept nothing; the state is that before it. Its input is in 3 Node.": (
        "这个节点没有留下任何东西，状态是它之前的。它的输入见 3 节点。"
    ),
    "retry": "重试",
    "edit, then retry": "改好再重试",
    "skip with a value": "跳过，给它一个值",
    "no step before it": "之前没有步",
    "end the run": "结束运行",
    "the run has ended": "运行已经结束",
    "the run": "运行",
    "{node} failed": "{node} 出错",
    "an update is a JSON object": "更新是一个 JSON 对象",
    "x whole stack": "x 完整调用栈",
    "its update, JSON": "它的更新，JSON",
    "↑ ↓ scroll": "↑ ↓ 滚动",
    "Instead of it: set the next node and ask no router": "代替它：直接指定下一个节点，不问路由",
    "After it has run: put jump_to into what it returns": "它运行之后：在它的返回里写入 jump_to",
    "Open": "打开",
    "Next message": "下一句",
    "↑ ↓ thread": "↑ ↓ 会话",
    "The program runs.": "程序正在运行。",
    "A run is held.": "运行停在中途。",
    "A question is open.": "有问题待答。",
    "the input": "输入",
    "Fork from step {n}": "从第 {n} 步分叉",
    "Kill the agent process": "结束智能体进程",
    "Kill": "结束",
    "Quitting ends the agent process.": "退出会结束智能体进程。",
    "A new branch from the state after {node}. The branch of now stays as it is.": (
        "从 {node} 之后的状态开出新分支，现在的分支保持不变。"
    ),
    "Runs again: {nodes}": "将重新运行：{nodes}",
    "This run ends here; its record stays.": "运行到此结束，记录保留。",
    "A run is alive. It ends here, and its record goes with it.": (
        "还有运行没结束。它会就此结束，记录也不再保留。"
    ),
    "The same input runs again in a new process; breakpoints are kept.": (
        "同样的输入在新进程里重来，断点保留。"
    ),
    "The program has not reached a safe point. Its process is killed; the record stays.": (
        "程序还没有到安全点。它的进程会被强行结束，记录保留。"
    ),
    "This run ends at its next safe point. If it reaches none: p, then K kills the process.": (
        "运行会在下一个安全点结束。到不了的话：按 p，再按 K 强行结束进程。"
    ),
    "calls again: {tools}": "会再次调用：{tools}",
    "no command {word}": "没有命令 {word}",
    "the cursor is on no node that runs": "光标不在会运行的节点上",
    "g goes to the graph, arrows move": "g 到图，方向键移动",
    "the cursor is on no value of the state": "光标不在状态的值上",
    "1 shows the state": "1 显示状态",
    "Tour": "导览",
    "theme {name}": "主题 {name}",
    "run to {node}": "运行到 {node}",
    "breakpoint on {node}": "在 {node} 设断点",
    "{node} asks before the tools run": "{node} 在工具执行前询问",
    "{n} of {count} decided": "已决定 {n}/{count}",
    "If you send this": "发送后",
    "question {n} of {count}": "第 {n} 个问题，共 {count} 个",
    "yes": "是",
    "no": "否",
    "call": "调用",
    "column: tool": "工具",
    "needs approval": "需要批准",
    "your decision": "你的决定",
    "argument": "参数",
    "the model asked": "模型请求",
    "you send": "你发送",
    "This call needs no approval; it runs as asked if the others allow.": (
        "这个调用无须批准，其余放行后照原样执行。"
    ),
    "{what}: not offered by this hook": "{what}：这个钩子不提供",
    "{what} is not decided": "{what} 还没决定",
    "no answer yet": "还没有答复",
    "{nodes} will run again from the first line": "{nodes} 会从第一行重新运行",
    "runs": "将执行",
    "does not run": "不执行",
    "{n} more, [ and ] move": "还有 {n} 个，[ 和 ] 移动",
    "{n} more arguments": "还有 {n} 个参数",
    "arguments fit the schema": "参数符合模式",
    "A key means the same in every pane. , . < > G look and run nothing.": (
        "同一个键在每个窗格里意思相同。, . < > G 只看，不运行。"
    ),
    "In dialogs digits choose, Enter sends, Esc leaves.": "对话框里数字选择，Enter 发送，Esc 离开。",
    "tools would run without approval ({who} is skipped)": "工具会未经批准就执行（跳过了 {who}）",
    'Afterwards: upstream never removes jump_to. It stays in thread "{thread}" and every later reader '
    "obeys it again, also in the next run. Clear it with J.": (
        "之后：上游从不清除 jump_to。它留在会话“{thread}”里，后面每个读取者都会再次照办，"
        "下一次运行也一样。用 J 清除。"
    ),
    "{word} waits for this node": "{word} 等着这个节点",
    "it is {word} now": "现在是 {word}",
    "it is not set now": "现在没有设",
    "run to {node} and ask there": "运行到 {node}，到那里再问",
    "next": "下一个",
    "skips {names}": "跳过 {names}",
    "▶ {node} declares no jump: its edge never reads jump_to, so none is on offer here.": (
        "▶ {node} 没有声明跳转：它的边不读 jump_to，所以这里不能跳。"
    ),
    "clear jump_to": "清除 jump_to",
    "not on offer: {why}": "不可选：{why}",
    "would reach this node again": "会再次到这个节点",
    "no loop": "不成环",
    "{hook} declares only {words}": "{hook} 只声明了 {words}",
    "this agent has no tools": "这个智能体没有工具",
    "it would lead to this node itself": "会回到这个节点自己",
    "the edge of {node} never reads jump_to": "{node} 的边不读 jump_to",
    "the graph has no such place": "图里没有这个地方",
    "set the next node": "指定下一个节点",
    "not on offer: nothing is held": "不可选：没有停住的节点",
    "▶ {node} runs next, then by its default edge {target}.": "▶ {node} 接着运行，然后按默认边到 {target}。",
    "▶ {node} runs next, then its router decides.": "▶ {node} 接着运行，然后由路由决定。",
    "No node is held, so there is nothing to jump from.": "没有停住的节点，无从跳转。",
    "The next place that takes one is {node}.": "下一个能跳的地方是 {node}。",
    "Afterwards: jump_to is removed when a router has used it.": "之后：路由用过 jump_to 就会清除它。",
    "The target did not load.": "目标没有载入。",
    "Mend it, then R loads it again. o shows what it printed.": "改好后按 R 重新载入。o 看它打印了什么。",
    "It could be one of these; name it after the file, as FILE:NAME": (
        "可能是其中之一；写在文件名后面，如 FILE:NAME"
    ),
    "your code only; {n} more frames, x shows the whole stack": "只显示你的代码；还有 {n} 层，x 看完整调用栈",
    "{thread}, {n} messages stay": "{thread}，保留 {n} 条消息",
    "Will START at {node}. It is a new run, not a resume.": "将从 {node} 开始。这是新的运行，不是继续。",
    "jump_to = {word} is left over in this thread: its first reader obeys it. A new thread has none.": (
        "这个会话里还留着 jump_to = {word}：第一个读到它的会照办。新会话里没有。"
    ),
    "type a message, or a JSON object for the state": "请输入一句话，或表示状态的 JSON 对象",
    "Thread": "会话",
    "not JSON: {why}": "不是 JSON：{why}",
    "a new one": "新会话",
    "JSON": "JSON",
    "text": "文本",
    "yes or no": "是或否",
    "number": "数字",
    "nothing (null)": "空（null）",
}
