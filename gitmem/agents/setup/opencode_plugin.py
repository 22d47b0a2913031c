"""The plugin that OpenCode runs: it hands events to `gitmem hook`, and decides nothing."""

from __future__ import annotations

PLUGIN = """\
// gitmem: written by `gitmem agent install`, taken away by `gitmem agent uninstall`.
// It only hands events to `gitmem hook`; without gitmem it does nothing.
import { spawn } from "node:child_process"

const LIMIT_MS = 5000
const LIMIT_CHARS = 65536
const EDITS = new Set(["edit", "write", "patch", "apply_patch", "multiedit"])

function ask(event: string, payload: object, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    let said = ""
    try {
      const child = spawn("gitmem", ["hook", event, "--agent", "opencode"], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => child.kill(), LIMIT_MS)
      child.on("error", () => {
        clearTimeout(timer)
        resolve("")
      })
      child.on("close", () => {
        clearTimeout(timer)
        resolve(read(said))
      })
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

function read(said: string): string {
  try {
    const answer = JSON.parse(said)
    const text = answer.additionalContext ?? answer.hookSpecificOutput?.additionalContext
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

export const Gitmem = async ({ directory }: { directory: string }) => {
  const waiting = new Map<string, string[]>()
  const answers = new Map<string, { message: string; text: string }>()
  const assistants = new Set<string>()

  const tell = (session: string, text: string) => {
    if (text) waiting.set(session, [...(waiting.get(session) ?? []), text])
  }

  return {
    event: async ({ event }: { event: any }) => {
      const about = event?.properties ?? {}
      const session = about.sessionID ?? about.info?.sessionID ?? about.info?.id ?? ""
      const base = { session_id: session }
      if (event?.type === "session.created") {
        tell(session, await ask("session-start", { ...base, source: "startup" }, directory))
      } else if (event?.type === "session.compacted") {
        tell(session, await ask("session-start", { ...base, source: "compact" }, directory))
      } else if (event?.type === "message.updated" && about.info?.role === "assistant") {
        assistants.add(about.info.id)
      } else if (event?.type === "message.part.updated" && about.part?.type === "text") {
        const { sessionID, messageID, text } = about.part
        if (assistants.has(messageID)) answers.set(sessionID, { message: messageID, text })
      } else if (event?.type === "session.idle") {
        const last = answers.get(session)?.text ?? ""
        await ask("stop", { ...base, last_assistant_message: last }, directory)
        answers.delete(session)
        assistants.clear()
      } else if (event?.type === "session.deleted") {
        waiting.delete(session)
        await ask("session-end", { ...base, reason: "other" }, directory)
      }
    },
    "chat.message": async (input: any, output: any) => {
      const texts = (output?.parts ?? []).filter((part: any) => part.type === "text")
      const prompt = texts.map((part: any) => part.text).join("\\n")
      const base = { session_id: input.sessionID, prompt }
      tell(input.sessionID, await ask("user-prompt-submit", base, directory))
    },
    "experimental.chat.system.transform": async (input: any, output: any) => {
      const texts = waiting.get(input?.sessionID) ?? []
      if (texts.length === 0 || !Array.isArray(output?.system)) return
      output.system.push(...texts)
      waiting.delete(input.sessionID)
    },
    "tool.execute.before": async (input: any, output: any) => {
      if (!EDITS.has(input.tool)) return
      const call = { session_id: input.sessionID, tool_name: input.tool, tool_input: output.args }
      tell(input.sessionID, await ask("pre-tool-use", call, directory))
    },
    "tool.execute.after": async (input: any, output: any) => {
      if (!EDITS.has(input.tool)) return
      const args = input.args ?? output?.metadata ?? {}
      const call = { session_id: input.sessionID, tool_name: input.tool, tool_input: args }
      tell(input.sessionID, await ask("post-tool-use", call, directory))
    },
  }
}
"""
