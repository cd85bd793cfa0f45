"""pi's extension: a file of code that hands its events to the engine as hook payloads."""

from __future__ import annotations

from ..javascript import HEAD

TEXT = (
    HEAD
    + r"""export default function (pi) {
  const engine = engineAbove(process.cwd())
  if (!engine) return
  let packet = "" // what the model is to know of the session before, until it was told

  // What the engine answers with, or an empty string.
  const tell = (hook_event_name, ctx, more = {}) => {
    const usage = ctx.getContextUsage()
    const payload = {
      hook_event_name,
      session_id: ctx.sessionManager.getSessionId(),
      transcript_path: ctx.sessionManager.getSessionFile(),
      cwd: ctx.cwd,
      used_tokens: usage?.tokens ?? undefined,
      window_tokens: ctx.model?.contextWindow,
      ...more,
    }
    for (const python of ["python3", "python"]) {
      const done = spawnSync(python, ["-I", "-S", "-B", engine, "hook", "pi"], {
        cwd: ctx.cwd,
        input: JSON.stringify(payload),
        encoding: "utf8",
        timeout: 30_000,
        windowsHide: true,
      })
      if (done.status === 0) return done.stdout ? JSON.parse(done.stdout).context || "" : ""
    }
    return ""
  }
  const safely = (work) => async (event, ctx) => {
    try {
      return await work(event, ctx)
    } catch {}
  }
  const text = (content) =>
    (Array.isArray(content) ? content : [])
      .filter((part) => part.type === "text")
      .map((part) => part.text)
      .join("\n")

  pi.on("session_start", safely((event, ctx) => {
    if (event.reason === "reload") return
    const known = ctx.sessionManager.getEntries().some((entry) => entry.type === "message")
    packet = tell("SessionStart", ctx, { source: known ? "resume" : "startup" })
  }))
  pi.on("before_agent_start", safely((event, ctx) => {
    const notice = tell("UserPromptSubmit", ctx, { prompt: event.prompt })
    const content = [packet, notice].filter(Boolean).join("\n\n")
    packet = ""
    if (content) return { message: { customType: "handoff", content, display: false } }
  }))
  pi.on("tool_result", safely((event, ctx) => {
    if (event.toolName !== "bash") return
    const context = tell("PostToolUse", ctx, {
      tool_name: "bash",
      tool_use_id: event.toolCallId,
      tool_input: { command: event.input.command },
      tool_response: { is_error: event.isError, text: text(event.content) },
    })
    if (context) return { content: [...event.content, { type: "text", text: context }] }
  }))
  pi.on("agent_end", safely((event, ctx) => {
    const last = event.messages.filter((message) => message.role === "assistant").pop()
    tell("Stop", ctx, { last_assistant_message: text(last?.content) })
  }))
  pi.on("session_before_compact", safely((event, ctx) => {
    tell("PreCompact", ctx)
  }))
  pi.on("session_shutdown", safely((event, ctx) => {
    if (event.reason !== "reload") tell("SessionEnd", ctx, { reason: event.reason })
  }))
}
"""
)
