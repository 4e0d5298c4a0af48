import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { findAgent } from '../../infra/agent/find-agent.ts';
import { NAMESPACE, startScriptedTools } from '../support/agents/scripted-tools.ts';
import { steering } from '../support/e2e/steer.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const { packageRoot, agentCache } = loadConfig();
let stack: TestStack;
const { begin } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

/** The MCP server as an agent starts it. */
const server = () => ({
  command: process.execPath,
  args: [join(packageRoot, 'dist', 'cli', 'main.js'), 'mcp'],
  env: {
    PATH: '/usr/bin:/bin',
    DATABASE_URL: stack.databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    PERPETUA_HOME: stack.home,
  },
});

interface Place {
  /** Home and working folder of the agent. */
  folder: string;
  endpoint: string;
}

interface Start {
  /** Shell command; `$AGENT` is the folder of the installed agent, `$PROMPT` the prompt. */
  command: string;
  env: Record<string, string>;
}

/** How each agent is started with the tools of `perpetua mcp`. */
const AGENTS: Record<'claude-code' | 'codex', (place: Place) => Promise<Start>> = {
  'claude-code': ({ endpoint }) =>
    Promise.resolve({
      command:
        'exec "$AGENT"/node_modules/@anthropic-ai/claude-code-*/claude -p "$PROMPT" --model scripted ' +
        '--mcp-config "$SERVERS" --strict-mcp-config --permission-mode bypassPermissions',
      env: {
        SERVERS: JSON.stringify({ mcpServers: { perpetua: server() } }),
        ANTHROPIC_BASE_URL: endpoint,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        IS_SANDBOX: '1',
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_TIMEOUT: '120000',
        MCP_TOOL_TIMEOUT: '600000',
      },
    }),
  codex: async ({ folder, endpoint }) => {
    const { command, args, env } = server();
    const provider = { name: 'scripted', base_url: `${endpoint}/v1`, env_key: 'AGENT_KEY', wire_api: 'responses' };
    const perpetua = { command, args, required: true, startup_timeout_sec: 120, tool_timeout_sec: 600 };
    await mkdir(join(folder, '.codex'));
    await writeFile(
      join(folder, '.codex', 'config.toml'),
      `model_provider = "scripted"\n${[
        tomlTable('model_providers.scripted', provider),
        tomlTable('mcp_servers.perpetua', perpetua),
        tomlTable('mcp_servers.perpetua.env', env),
      ].join('')}`,
    );
    return {
      command:
        'exec "$AGENT"/node_modules/@openai/codex-*/vendor/*/bin/codex exec --model scripted --skip-git-repo-check ' +
        '--dangerously-bypass-approvals-and-sandbox "$PROMPT"',
      env: { AGENT_KEY: 'none' },
    };
  },
};

/** A table of TOML; texts, numbers and lists of texts are written as in JSON. */
const tomlTable = (name: string, values: object): string =>
  `[${name}]\n${Object.entries(values)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('')}`;

/** Runs an agent on a prompt and returns its output. */
async function runAgent(agent: string, { command, env }: Start, folder: string): Promise<string> {
  const child = spawn('sh', ['-c', command], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', HOME: folder, AGENT: agent, PROMPT: 'Try X=7, and tell me the verdict.', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  await once(child, 'close');
  return output;
}

for (const [name, startOf] of Object.entries(AGENTS)) {
  const found = findAgent(name as keyof typeof AGENTS, { packageRoot, cache: agentCache });
  if ('missing' in found) test.skip(`${name} drives a research: skipped, ${found.missing}`);
  else
    test(`${name} proposes a change by the tools, and gets its verdict`, async () => {
      const research = `by-${name}`;
      await begin(research, { budget: { trials: 3, whenSpent: 'wait' } });
      const idea = { research, files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven', key: 'seven' };
      const endpoint = await startScriptedTools([
        { tool: 'propose', input: idea },
        { tool: 'wait', input: { research, key: 'seven', seconds: 300 } },
        { text: 'I have the verdict.' },
      ]);
      const folder = await mkdtemp(join(tmpdir(), 'perpetua-test-agent-'));
      const output = await runAgent(found.folder, await startOf({ folder, endpoint: endpoint.url }), folder);
      await rm(folder, { recursive: true, force: true });
      await endpoint.close();
      expect(endpoint.offered().join(), output).toContain(NAMESPACE);
      expect(output).toContain('I have the verdict.');
      expect(endpoint.results()).toEqual([
        expect.stringMatching(/key[\\": ]+seven/),
        expect.stringMatching(/settled[\\": ]+true.*keep/),
      ]);
      const trials = await stack.query(
        `select hypothesis, value from trials where research_id = $1 and kind = 'injected'`,
        [research],
      );
      expect(trials).toEqual([{ hypothesis: 'it is seven', value: 0 }]);
      await stack.client.workflow.getHandle(research).signal('stop', { now: true });
    });
}
