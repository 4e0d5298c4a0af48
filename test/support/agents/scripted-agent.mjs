// A small coding agent for tests: it asks a model by Chat Completions, runs the commands that the model calls in the
// work tree, and ends with the model's last message. It keeps its conversation in its home, and goes on with it.
//   node scripted-agent.mjs [DEED]
// DEED: something that it does first: `hangs`, `crashes`, `dies once`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { PERPETUA_GATEWAY, PERPETUA_MODEL, PERPETUA_PROMPT, HOME } = process.env;
const memory = `${HOME}/conversation.json`;
const TOOL = {
  type: 'function',
  function: {
    name: 'bash',
    description: 'Runs a command.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
};

const messages = existsSync(memory)
  ? JSON.parse(readFileSync(memory, 'utf8'))
  : [{ role: 'user', content: readFileSync(PERPETUA_PROMPT, 'utf8') }];
const keep = (...added) => {
  messages.push(...added);
  writeFileSync(memory, JSON.stringify(messages));
};

await perform(process.argv[2]);
for (;;) {
  const message = await ask();
  keep(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  for (const { id, function: call } of message.tool_calls) {
    const { command } = JSON.parse(call.arguments);
    const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    keep({ role: 'tool', tool_call_id: id, content: `${stdout}${stderr}exit code ${status}` });
  }
}

async function ask() {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${PERPETUA_GATEWAY}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer none', 'content-type': 'application/json' },
      body: JSON.stringify({ model: PERPETUA_MODEL, messages, tools: [TOOL] }),
    }).catch((error) => error);
    if (response.ok) {
      const body = await response.json().catch(() => null);
      if (body !== null) return body.choices[0].message;
    }
    const why = response instanceof Error ? String(response.cause ?? response) : await response.text();
    if (response.status === 403 || attempt === 20) {
      console.error(`the model refused: ${why}`);
      process.exit(1);
    }
    await sleep(200);
  }
}

async function perform(deed) {
  if (deed === 'hangs') await sleep(3_600_000);
  if (deed === 'crashes') process.exit(3);
  if (deed === 'dies' && !existsSync(`${memory}.died`)) {
    writeFileSync(`${memory}.died`, '');
    await ask();
    process.kill(process.pid, 'SIGKILL');
  }
}
