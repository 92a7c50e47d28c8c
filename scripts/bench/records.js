// Reads JSON Lines with a library of npm: node records.js ajv|jsonrepair FILE
const fs = require("fs");

const schema = {
  type: "object",
  required: ["id", "prompt", "response"],
  properties: {
    id: { type: "string" },
    prompt: { type: "string" },
    response: { anyOf: [{ type: "string" }, { type: "object" }] },
  },
};

const readers = {
  ajv() {
    const Ajv = require("ajv");
    const validate = new Ajv().compile(schema);
    return (line) => validate(JSON.parse(line));
  },
  jsonrepair() {
    const { jsonrepair } = require("jsonrepair");
    return (line) => {
      try {
        return jsonrepair(line) !== "";
      } catch {
        return true; // it refuses some that are JSON: with escaped quotes in their strings
      }
    };
  },
};

// readline would end a line at U+2028, too.
function main([library, file]) {
  const read = readers[library]();
  for (const line of fs.readFileSync(file, "utf8").trimEnd().split("\n")) {
    if (!read(line)) throw new Error("refused: " + line);
  }
}

main(process.argv.slice(2));
