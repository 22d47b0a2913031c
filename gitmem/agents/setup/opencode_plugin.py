"""The plugin that OpenCode runs: it hands events to `gitmem hook`, and decides nothing.

TypeScript without types, so that any JavaScript engine runs it as it stands, in tests too.
What the hook answers is handed to the model with the next request of that session. A session
that another one started works for it: its edits count as that one's, and its end as none.
"""

from __future__ import annotations

PLUGIN = """\
// gitmem: written by `gitmem agent install`, taken away by `gitmem agent uninstall`.
// It only hands events to `gitmem hook`; without gitmem it does nothing.
import { spawn } from "node:child_process"

const LIMIT_MS = 5000
const LIMIT_CHARS = 65536
const EDITS = new Set(["edit", "write", "patch", "apply_patch", "multiedit"])

function ask(event, payload, cwd) {
  return new Promise((resolve) => {
    let said = ""
    try {
      const child = spawn("gitmem", ["hook", event, "--agent", "opencode"], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => {
        child.kill()
        resolve("")
      }, LIMIT_MS)
      const end = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => end(""))
      child.on("close", () => end(read(said)))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => {
        if (said.length < LIMIT_CHARS) said += part
      })
      child.stdin.end(JSON.stringify({ ...payload, cwd }))
    } catch {
      resolve("")
    }
  })
}

function read(said) {
  try {
    const text = JSON.parse(said).additionalContext
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

export const Gitmem = async ({ directory }) => {
  const waiting = new Map() // session -> texts that its model is to get
  const answers = new Map() // session -> what its model said last
  const authors = new Map() // message of a model -> session
  const parents = new Map() // session -> the one that started it

  const tell = (session, text) => {
    if (text) waiting.set(session, [...(waiting.get(session) ?? []), text])
  }
  const root = (session) => parents.get(session) ?? session
  const forget = (session) => {
    answers.delete(session)
    for (const [message, owner] of authors) if (owner === session) authors.delete(message)
  }

  const events = {
    "session.created": async ({ info }) => {
      if (info.parentID) {
        parents.set(info.id, root(info.parentID))
      } else {
        const payload = { session_id: info.id, source: "startup" }
        tell(info.id, await ask("session-start", payload, directory))
      }
    },
    "session.compacted": async ({ sessionID }) => {
      const payload = { session_id: root(sessionID), source: "compact" }
      tell(sessionID, await ask("session-start", payload, directory))
    },
    "message.updated": async ({ info }) => {
      if (info.role === "assistant") authors.set(info.id, info.sessionID)
    },
    "message.part.updated": async ({ part }) => {
      if (part.type !== "text" || !authors.has(part.messageID)) return
      answers.set(part.sessionID, part.text)
    },
    "session.idle": async ({ sessionID }) => {
      const last = answers.get(sessionID) ?? ""
      forget(sessionID)
      if (parents.has(sessionID)) return
      await ask("stop", { session_id: sessionID, last_assistant_message: last }, directory)
    },
    "session.deleted": async ({ info }) => {
      forget(info.id)
      waiting.delete(info.id)
      if (parents.delete(info.id)) return
      await ask("session-end", { session_id: info.id, reason: "other" }, directory)
    },
  }

  const edit = async (event, input, args) => {
    if (!EDITS.has(input.tool)) return
    const session = input.sessionID
    const call = { session_id: root(session), tool_name: input.tool, tool_input: args ?? {} }
    tell(session, await ask(event, call, directory))
  }

  return {
    event: async ({ event }) => {
      try {
        await events[event.type]?.(event.properties)
      } catch {
        // An event of another version: it is passed over.
      }
    },
    "chat.message": async (input, output) => {
      const texts = (output?.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      const prompt = texts.map((part) => part.text).join("\\n")
      if (parents.has(input.sessionID) || !prompt) return
      const payload = { session_id: input.sessionID, prompt }
      tell(input.sessionID, await ask("user-prompt-submit", payload, directory))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const texts = waiting.get(input?.sessionID) ?? []
      if (texts.length === 0 || !Array.isArray(output?.system)) return
      output.system.push(...texts)
      waiting.delete(input.sessionID)
    },
    "tool.execute.before": (input, output) => edit("pre-tool-use", input, output?.args),
    "tool.execute.after": (input) => edit("post-tool-use", input, input.args),
  }
}
"""
