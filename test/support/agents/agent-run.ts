import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_FOLDER, AGENT_HOME, AGENT_PROMPT, agentScript } from '../../../domain/agent/agent-script.ts';
import { prepareAgent } from '../../../domain/agent/prepare.ts';
import { GATEWAY_URL } from '../../../domain/gateway/address.ts';
import type { FoundAgent } from '../../../infra/agent/find-agent.ts';
import type { FileContent } from '../../../infra/compute.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { runToEnd } from '../../../infra/compute/run-to-end.ts';
import { startScriptedEndpoint } from './scripted-endpoint.mjs';

const file = (path: string, text: string): FileContent => ({ path, content: Buffer.from(text) });

/** Runs an agent by its recipe in a sandbox, with a relay as its only network. Returns its work tree's file. */
export async function runInSandbox(found: FoundAgent): Promise<{ rate: string; output: string } | { skipped: string }> {
  const root = mkdtempSync(join(tmpdir(), 'perpetua-test-agent-'));
  const sockets = join(root, 'sockets');
  mkdirSync(sockets);
  const socket = join(sockets, 'gate');
  const endpoint = await startScriptedEndpoint({ where: socket });
  chmodSync(socket, 0o666);
  const place = { home: AGENT_HOME, prompt: AGENT_PROMPT, model: 'scripted', gateway: GATEWAY_URL };
  const session = '11111111-2222-4333-8444-555555555555';
  const { env, files } = prepareAgent(found.recipe, { ...place, agent: found.folder, session });
  const { command, resume = null, transcript = null } = found.recipe;
  const readable = [...found.readable, sockets];
  const compute = createLocalCompute({ home: join(root, 'compute'), installation: 'agent-tests', readable });
  try {
    const { sandboxed, exposure } = await compute.protections('required');
    if (!sandboxed) return { skipped: exposure };
    const ended = await runToEnd(
      compute,
      {
        jobId: `agents/${found.folder.split('/').at(-1)}`,
        placement: 0,
        fence: 1,
        slot: { id: 'a0', pool: 'agents', index: 0, gpu: null },
        stageHash: 'agent',
        files: [],
        command: agentScript(
          { command: `umask 077; ${command}`, resume, transcript },
          { node: process.execPath, socket },
        ),
        env: { LANG: 'C.UTF-8', TERM: 'dumb', ...env },
        limits: {
          wallSeconds: 240,
          cpuSeconds: null,
          graceSeconds: 2,
          memoryMb: 4000,
          processes: 400,
          outputBytes: 50_000_000,
          diskMb: 500,
          files: 20_000,
        },
        sandbox: 'required',
      },
      {
        stage: [
          file('train.py', 'LR = 0.1\n'),
          file(`${AGENT_FOLDER}/prompt.md`, 'Set LR to 0.2.'),
          file(`${AGENT_FOLDER}/relay.mjs`, readFileSync('infra/gateway/relay.mjs', 'utf8')),
          ...files.map(({ path, text }) => file(`${AGENT_FOLDER}/home/${path}`, text)),
        ],
        wanted: { artefacts: [{ path: 'train.py', maxBytes: 1000 }] },
        signal: AbortSignal.timeout(300_000),
      },
    );
    if (ended === 'lost' || ended === 'stopped')
      throw new Error(`expected the run of the agent to end; it is ${ended}`);
    const content = ended.artefacts[0]?.content ?? new Uint8Array();
    return { rate: Buffer.from(content).toString().trim(), output: ended.logTail };
  } finally {
    await endpoint.close();
    rmSync(root, { recursive: true, force: true });
  }
}
