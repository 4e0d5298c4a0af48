import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { AgentRecipe } from '../../../domain/agent/recipe.ts';
import { type AgentCheck, checkAgent } from '../../../infra/agent/check-agent.ts';
import { openCheckGateway } from '../../../infra/agent/check-gateway.ts';
import { createGateway } from '../../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../../infra/gateway/endpoints.ts';
import {
  type ScriptedEndpoint,
  type ScriptedEndpointOptions,
  startScriptedEndpoint,
} from '../../support/agents/scripted-endpoint.mjs';

const KEY = 'sk-the-real-key';
const CALL = `const call = () => fetch(process.env.PERPETUA_GATEWAY + "/v1/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer none", "content-type": "application/json" },
  body: JSON.stringify({ model: process.env.PERPETUA_MODEL, messages: [{ role: "user", content: "hello" }] }),
}).then(async (answer) => { console.log(answer.status, await answer.text()); if (!answer.ok) process.exit(3); });
call()`;
const NODE = `"${process.execPath}"`;

let endpoint: ScriptedEndpoint;
afterEach(() => endpoint.close());

/** Checks an agent that has this command, with a scripted endpoint behind the real gateway. */
async function check(command: string, script: ScriptedEndpointOptions = {}): Promise<AgentCheck> {
  endpoint = await startScriptedEndpoint({ key: KEY, ...script });
  const none = { baseUrl: null, apiKey: null };
  const openai = { baseUrl: `${endpoint.url}/v1`, apiKey: KEY };
  const gateway = createGateway({ endpoints: readEndpoints({ openai, anthropic: none, gemini: none }) });
  return checkAgent(AgentRecipe.parse({ protocol: 'chat', command }), {
    folder: null,
    model: 'scripted',
    startGateway: () => openCheckGateway(gateway),
    seconds: 60,
  });
}

test('an edit lands, calls and tokens are counted, and the agent never has the key', async () => {
  const checked = await check(`${NODE} -e '${CALL}' && env && sed -i 's/0\\.1$/0.2/' train.py`);
  expect(checked).toMatchObject({ landed: true, calls: 1, problem: null, tokensIn: 1000, tokensOut: 50 });
  expect(checked.end).toMatchObject({ code: 0, timedOut: false });
  expect(checked.end.output).toContain('PERPETUA_MODEL=scripted');
  expect(checked.end.output).not.toContain(KEY);
  expect(endpoint.requests[0]).toMatchObject({ key: KEY, model: 'scripted' });
  const home = /^HOME=(.*)$/m.exec(checked.end.output)?.[1] ?? '';
  expect(home).toContain(tmpdir());
  expect(existsSync(home)).toBe(false);
});

test('an agent that changes nothing, or another value, has not edited', async () => {
  expect(await check('exit 0')).toMatchObject({ landed: false, calls: 0, problem: null });
  expect(await check("sed -i 's/0\\.1$/0.25/' train.py")).toMatchObject({ landed: false });
});

test("the endpoint's error is reported", async () => {
  const checked = await check(`${NODE} -e '${CALL}'`, { key: 'another key' });
  expect(checked).toMatchObject({ landed: false, calls: 1, tokensIn: 0, end: { code: 3 } });
  expect(checked.problem).toMatch(/^status 401: .*Incorrect API key/);
});

test('an agent that calls without end is stopped by 403', async () => {
  const checked = await check(`${NODE} -e '${CALL}; setInterval(call, 20)'`);
  expect(checked).toMatchObject({ landed: false, calls: 20 });
  expect(checked.end.output).toContain('a check has at most 20 calls');
});

test("only who knows the check's URL reaches the gateway", async () => {
  const checked = await check(`PERPETUA_GATEWAY="\${PERPETUA_GATEWAY%/*}" ${NODE} -e '${CALL}'`);
  expect(checked).toMatchObject({ calls: 0, end: { code: 3 } });
  expect(checked.end.output).toMatch(/^403/);
});
