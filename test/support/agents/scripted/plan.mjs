// The script of the model: what it answers to a conversation, whatever the protocol.

/** Names that agents give to their shell tool. */
const SHELLS = new Set([
  'bash',
  'Bash',
  'shell',
  'local_shell',
  'shell_command',
  'exec_command',
  'run_shell_command',
  'run_command',
  'execute',
  'execute_command',
  'terminal',
  'run_terminal_cmd',
  'developer__shell',
]);
const COMMAND_KEYS = ['command', 'cmd', 'script'];
/** Command that ends mini-swe-agent; its prompts name it. */
const SUBMIT = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';
const DEFAULT_EDIT = "sed -i 's/^LR = .*/LR = 0.2/' train.py && grep LR train.py";
const DONE = 'Done: the learning rate is 0.2.';

/**
 * The next answer: `{ text, tool?, args? }`. `tools`: offered tools as `{ name, schema }`; `results`: number of tool
 * results so far; `said`: all text of the user. `script`: `edit` is the command, in which `{turn}` and `{call}` stand
 * for the number of the turn and of the call; `turns` is the number of commands before the last answer; `say` is that
 * answer.
 */
export function nextAnswer({ tools, results, said }, { edit = DEFAULT_EDIT, turns = 1, say = DONE, call }) {
  const shell = tools.find((tool) => SHELLS.has(tool.name));
  const command = edit.replaceAll('{turn}', String(results + 1)).replaceAll('{call}', String(call));
  if (said.includes(SUBMIT)) return answerOfMini({ shell, command: results < turns ? command : `echo ${SUBMIT}` });
  if (said.includes('SEARCH/REPLACE')) return { text: SEARCH_REPLACE };
  if (shell !== undefined && results < turns)
    return { text: 'I set the rate.', tool: shell.name, args: argumentsOf(shell.schema, command) };
  return { text: say };
}

/** mini-swe-agent: a tool call, or a fenced block if no tool is offered. */
function answerOfMini({ shell, command }) {
  if (shell !== undefined)
    return { text: 'THOUGHT: I set the rate.', tool: shell.name, args: argumentsOf(shell.schema, command) };
  return { text: `THOUGHT: I set the rate.\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\`\n` };
}

/** Answer for aider, which offers no tools. */
const SEARCH_REPLACE =
  'Sure.\n\ntrain.py\n```python\n<<<<<<< SEARCH\nLR = 0.1\n=======\nLR = 0.2\n>>>>>>> REPLACE\n```\n';

/** Arguments of a shell tool by its JSON schema: the command, and a plain value for each other required one. */
function argumentsOf(schema, command) {
  const required = schema?.required ?? [];
  const properties = Object.entries(schema?.properties ?? { command: { type: 'string' } });
  const chosen = properties.filter(([name]) => COMMAND_KEYS.includes(name) || required.includes(name));
  return Object.fromEntries(
    chosen.map(([name, property]) => {
      if (!COMMAND_KEYS.includes(name)) return [name, plainValue(property)];
      return [name, property.type === 'array' ? ['bash', '-lc', command] : command];
    }),
  );
}

function plainValue({ type, enum: choices }) {
  if (choices !== undefined) return choices[0];
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return type === 'number' || type === 'integer' ? 30_000 : 'set the learning rate';
}
