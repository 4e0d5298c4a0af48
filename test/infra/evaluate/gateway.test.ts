import { mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clientVariables } from '../../../domain/gateway/client-variables.ts';
import { createEvaluatorSandbox, createLocalCompute } from '../../../infra/compute/local.ts';
import { runToEnd } from '../../../infra/compute/run-to-end.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { createGateway } from '../../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../../infra/gateway/endpoints.ts';
import { createRunGateway } from '../../../infra/gateway/run-gateway.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { createMemoryLedger, KEY, startEndpoint } from '../gateway/support.ts';
import { LIMITS } from '../compute/conformance/support.ts';
import { RUNTIME } from './runtime.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'perpetua-asking-')));
const evaluator = createEvaluator({ home });
const hasLoopback = await createEvaluatorSandbox({ home }).hasOwnLoopback();
afterAll(() => removeTree(home));

/** Asks in three protocols; the score is the number in the last answer. Prints its environment. */
const SCORE = `
const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, PERPETUA_MODEL } = process.env;
const ask = async (url, body, headers = {}) => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: {
    'content-type': 'application/json', authorization: 'Bearer ' + OPENAI_API_KEY, ...headers } });
  return { status: answer.status, body: await answer.json() };
};
const messages = [{ role: 'user', content: 'grade it' }];
await ask(ANTHROPIC_BASE_URL + '/v1/messages', { model: 'm', messages, max_tokens: 9 }, { 'anthropic-version': '1' });
await ask(GOOGLE_GEMINI_BASE_URL + '/v1beta/models/m:generateContent', { contents: [] });
const { status, body } = await ask(OPENAI_BASE_URL + '/chat/completions', { model: PERPETUA_MODEL, messages });
const { writeSync } = await import('node:fs');
console.error(status, body.error?.message ?? '', JSON.stringify(process.env));
writeSync(3, JSON.stringify({ grade: Number(body.choices?.[0].message.content ?? 'nan') }));
`;

/** Evaluates with a gateway to an endpoint that gives the grade 7. */
async function evaluate(more: Partial<EvaluateSpec> & { score?: string; limit?: number } = {}) {
  const endpoint = await startEndpoint({ say: '7' });
  const at = { baseUrl: endpoint.url, apiKey: KEY };
  const endpoints = readEndpoints({ openai: at, anthropic: at, gemini: at });
  const gateway = createRunGateway({ home, gateway: createGateway({ endpoints, unreachableSeconds: 0 }), endpoints });
  const ledger = createMemoryLedger(more.limit);
  const sockets: string[] = [];
  const { score = SCORE, ...spec } = more;
  const result = await evaluator.evaluate(
    {
      files: [{ path: 'score.mjs', content: Buffer.from(score) }],
      command: 'node score.mjs',
      timeoutSeconds: 60,
      seed: 1,
      gateway: {
        serve: (socket) => {
          sockets.push(socket);
          return gateway.serveAt(socket, { ledger, role: 'evaluator' });
        },
        relay: await gateway.relay(),
        env: clientVariables('grader'),
      },
      artefacts: [],
      runtime: RUNTIME,
      conversation: null,
      limits: { roundSeconds: 6, lineBytes: 1000, totalBytes: 1000 },
      ...spec,
    },
    new AbortController().signal,
  );
  return { result, endpoint, ledger, socket: sockets[0] ?? '' };
}

/** Lines that a run in the sandbox prints. */
async function outputOf(command: string): Promise<string[]> {
  const compute = createLocalCompute({ home, installation: 'asking' });
  const ended = await runToEnd(
    compute,
    {
      jobId: 'toy/1',
      placement: 0,
      fence: 1,
      slot: { id: 'a0', pool: 'local', index: 0, gpu: null },
      stageHash: 'toy',
      files: [],
      command,
      env: {},
      limits: LIMITS,
      sandbox: 'required',
    },
    { stage: [], wanted: { artefacts: [] }, signal: new AbortController().signal },
  );
  if (typeof ended === 'string') throw new Error(`Expected an end, got ${ended}`);
  return ended.logTail.split('\n').filter(Boolean);
}

describe.skipIf(!hasLoopback)('an evaluator with a gateway', () => {
  it('asks a model in each protocol, and its score comes from the answer', async () => {
    const { result, endpoint, ledger } = await evaluate();
    expect(result).toMatchObject({ ok: true, evaluation: { metrics: { grade: 7 } } });
    // The endpoint knows only the worker's key: the evaluator has another one.
    expect(endpoint.requests.map(({ key }) => key)).toEqual([KEY, KEY, KEY]);
    expect(ledger.calls.map(({ request, answer }) => [request.protocol, request.model, answer?.status])).toEqual([
      ['messages', 'm', 200],
      ['gemini', 'm', 200],
      ['chat', 'grader', 200],
    ]);
    expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
  });

  it('has no key, and no other way out', async () => {
    const reach = (port: string) =>
      `await new Promise((resolve) => require('net').connect(${port}, '127.0.0.1')` +
      `.on('connect', () => { console.error('reached'); resolve() }).on('error', (error) => ` +
      `{ console.error(error.code); resolve() }));`;
    const look = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
console.error(JSON.stringify(process.env), require('fs').readdirSync(${JSON.stringify(home)}).join());
${reach('PORT')}
process.exit(1);`;
    const direct = await startEndpoint();
    const { result } = await evaluate({ score: look.replace('PORT', String(direct.port)) });
    const log = result.ok ? '' : result.failure.logTail;
    expect(log).toContain('"OPENAI_API_KEY":"none"');
    expect(log).not.toContain(KEY);
    // The home shows only the way to the evaluator's own folders.
    expect(log).toMatch(/ evaluations\nECONNREFUSED/);
  });

  it('receives the sentence of a spent limit', async () => {
    const { result } = await evaluate({ limit: 2, command: 'node score.mjs; exit 1' });
    expect(result).toMatchObject({
      ok: false,
      failure: { logTail: expect.stringMatching(/^403 perpetua: the budget of this trial is spent/) as string },
    });
  });

  it('may wait for all its jobs', async () => {
    const { result } = await evaluate({ command: 'node score.mjs & wait' });
    expect(result).toMatchObject({ ok: true, evaluation: { metrics: { grade: 7 } } });
  });

  it('runs only where the sandbox has a loopback of its own', async () => {
    await expect(evaluate({ network: true })).rejects.toThrow('Expected a gateway or a network');
    expect(await evaluator.lacksGateway()).toBeNull();
    const deep = mkdtempSync(join(tmpdir(), `perpetua-${'x'.repeat(80)}`));
    expect(await createEvaluator({ home: deep }).lacksGateway()).toContain('set PERPETUA_HOME to a shorter path');
    await removeTree(deep);
  });

  it('is out of reach of a run on the same machine', async () => {
    // The run begins while the evaluator waits for it, so that the relay and the socket are there.
    let seen: string[] = [];
    const held = `import { existsSync, writeSync } from 'node:fs';
await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: '{"model":"m","messages":[]}' });
writeSync(3, '{"grade": 1}');`;
    const endpoint = await startEndpoint({ say: '7' });
    const at = { baseUrl: endpoint.url, apiKey: KEY };
    const endpoints = readEndpoints({ openai: at, anthropic: at, gemini: at });
    const gateway = createRunGateway({ home, gateway: createGateway({ endpoints }), endpoints });
    const ledger = createMemoryLedger();
    const attack = (socket: string) =>
      `ls ${home}/evaluations ${socket} 2>/dev/null; node -e '
for (const to of [{ port: 8080, host: "127.0.0.1" }, { path: "${socket}" }])
  require("net").connect(to).on("connect", () => console.log("reached")).on("error", (error) => console.log(error.code))'`;
    const { result } = await evaluate({
      score: held,
      gateway: {
        serve: (socket) => {
          return gateway.serveAt(socket, {
            role: 'evaluator',
            ledger: {
              ...ledger,
              begin: async (request) => {
                seen = await outputOf(attack(socket));
                return ledger.begin(request);
              },
            },
          });
        },
        relay: await gateway.relay(),
        env: clientVariables(undefined),
      },
    });
    expect(result).toMatchObject({ ok: true });
    expect(seen.sort()).toEqual(['ECONNREFUSED', 'ENOENT']);
  });
});
