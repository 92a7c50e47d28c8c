// Follows a run: reads its events on stdin, and prints a line for each step. The types come from
// `oneshot schema agent_streaming_events.v1 | json2ts`. The exit code is 0 only if the run ended well.
import { createInterface } from "node:readline";
import type { AgentStreamingEvent, ToolCall } from "./agent_streaming_events.v1";

function describe(call: ToolCall): string {
  const failed = "error" in call.output;
  return `${call.toolName} (${call.toolType}): ${failed ? "failed" : "ok"}`;
}

let text = "";
let isOver = false;

function handle(event: AgentStreamingEvent): void {
  switch (event.event) {
    case "on_chain_start":
      console.log("The run starts.");
      break;
    case "on_chat_model_start":
      console.log(`The model is working, after ${event.toolCalls.length} calls.`);
      text = "";
      break;
    case "on_chat_model_stream":
      text += event.data;
      break;
    case "on_tool_start":
      console.log(`Call: ${event.data}`);
      break;
    case "on_tool_end":
      break;
    case "on_chain_end":
      event.toolCalls.forEach((call) => console.log(describe(call)));
      console.log(`Done: ${JSON.stringify(event.data)}`);
      isOver = true;
      break;
    case "error":
      console.error(`Failed (${event.data.error}): ${event.data.message}`);
      process.exitCode = 1;
      isOver = true;
      break;
    default: {
      const unknown: never = event; // a compiler error here means that an event is not handled
      throw new Error(`unknown event ${JSON.stringify(unknown)}`);
    }
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => handle(JSON.parse(line) as AgentStreamingEvent));
lines.on("close", () => {
  if (!isOver) {
    console.error("The events ended early.");
    process.exitCode = 1;
  }
});
