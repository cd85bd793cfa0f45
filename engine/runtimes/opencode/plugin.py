"""OpenCode's plugin: a file of code that hands its events to the engine as hook payloads.

It exports one function, never throws, installs no signal handler, and waits for the engine: a
child process that is left alone would be cut short when OpenCode ends.
"""

from __future__ import annotations

from ..javascript import HEAD

TEXT = (
    HEAD
    + r"""import { readdirSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"

export const Handoff = async ({ directory }) => {
  const engine = engineAbove(directory)
  if (!engine) return {}
  const started = new Set() // sessions that were told of in this process
  const fresh = new Set() // those among them that are new
  const parents = new Map() // session of a subagent: the one that called it
  const packets = new Map() // session: what its model is to know of the one before
  const said = new Map() // session: the agent's last text
  const tools = new Map() // session: tools but for the shell that it used in its turn
  const used = new Map() // session: tokens in its context
  const windows = new Map() // session: tokens that its model takes

  // What the engine answers with, or an empty string.
  const tell = (hook_event_name, session_id, more = {}) => {
    const payload = { hook_event_name, session_id, cwd: directory, ...more }
    for (const python of ["python3", "python"]) {
      const done = spawnSync(python, ["-I", "-S", "-B", engine, "hook", "opencode"], {
        cwd: directory,
        input: JSON.stringify(payload),
        encoding: "utf8",
        timeout: 30_000,
        windowsHide: true,
      })
      if (done.status === 0) return done.stdout ? JSON.parse(done.stdout).context || "" : ""
    }
    return ""
  }
  // Where OpenCode keeps its sessions; before 1.2 there was a folder instead, beside it.
  const database = () => {
    const data = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode")
    const chosen = process.env.OPENCODE_DB
    const names = existsSync(data) ? readdirSync(data) : []
    const found = (chosen ? [chosen] : names.filter((name) => /^opencode.*\.db$/.test(name)))
      .map((name) => resolve(data, name))
      .filter((path) => existsSync(path))
    // Each channel of releases has a file of its own: the one that was written to last is in use.
    const times = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const changed = (path) => Math.max(times(path), times(`${path}-wal`))
    found.sort((one, other) => changed(other) - changed(one))
    return found[0] ?? (existsSync(join(data, "storage")) ? join(data, "opencode.db") : undefined)
  }
  const safely = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {}
  }
  const usage = (session_id) => ({
    used_tokens: used.get(session_id),
    window_tokens: windows.get(session_id),
  })

  return {
    "chat.message": safely((input, output) => {
      const session_id = input.sessionID
      if (parents.has(session_id)) return
      const part = output.parts.find((one) => one.type === "text" && !one.synthetic)
      if (!part) return
      if (!started.has(session_id)) {
        started.add(session_id)
        const source = fresh.has(session_id) ? "startup" : "resume"
        packets.set(session_id, tell("SessionStart", session_id, { source, database: database() }))
      }
      const prompt = { prompt: part.text, ...usage(session_id) }
      const text = tell("UserPromptSubmit", session_id, prompt)
      if (text) output.parts.push({ ...part, id: `${part.id}handoff`, text, synthetic: true })
    }),
    // Not in the message: from that the session's title is made, by a model that needs no packet.
    "experimental.chat.system.transform": safely((input, output) => {
      const packet = packets.get(input.sessionID)
      const title = output.system.some((text) => text.startsWith("You are a title generator"))
      if (packet && !title) output.system.push(packet)
    }),
    "chat.params": safely((input) => {
      const limit = input.model?.limit?.context
      if (limit) windows.set(input.sessionID, limit)
    }),
    "tool.execute.after": safely((input, output) => {
      const session_id = parents.get(input.sessionID) ?? input.sessionID
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args }
      const agent_id = parents.has(input.sessionID) ? input.sessionID : undefined
      if (input.tool === "bash") {
        const tool_response = { exit: output.metadata?.exit, output: output.output }
        const more = { ...call, tool_response, agent_id, ...usage(session_id) }
        const context = tell("PostToolUse", session_id, more)
        if (context) output.output += `\n\n${context}`
      } else if (input.tool === "todowrite" && !agent_id) {
        tell("PostToolUse", session_id, call)
      } else {
        const use = { ...call, agent_id, at: new Date().toISOString() }
        tools.set(session_id, [...(tools.get(session_id) ?? []), use].slice(-200))
      }
    }),
    "experimental.text.complete": safely((input, output) => {
      said.set(input.sessionID, output.text)
    }),
    event: safely(({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      if (event.type === "session.created") {
        if (info.parentID) parents.set(info.id, parents.get(info.parentID) ?? info.parentID)
        else fresh.add(info.id)
      } else if (event.type === "message.updated" && info.role === "assistant" && info.tokens) {
        const { input, cache } = info.tokens
        const total = input + (cache?.read ?? 0) + (cache?.write ?? 0)
        if (total) used.set(info.sessionID, total)
      } else if (event.type === "session.idle" && started.has(sessionID)) {
        const last_assistant_message = said.get(sessionID)
        const more = { last_assistant_message, tools: tools.get(sessionID) }
        tools.delete(sessionID)
        tell("Stop", sessionID, { ...more, ...usage(sessionID) })
      } else if (event.type === "session.compacted" && started.has(sessionID)) {
        tell("PreCompact", sessionID)
      }
    }),
    dispose: safely(() => {
      for (const session_id of started) tell("SessionEnd", session_id, { reason: "exit" })
    }),
  }
}
"""
)
