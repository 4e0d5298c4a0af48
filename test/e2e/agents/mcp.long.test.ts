import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { findClaudeCode } from '../../support/agents/find-claude-code.ts';
import { startScriptedTools } from '../../support/agents/scripted-tools.ts';
import { steering } from '../../support/e2e/steer.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';

const found = findClaudeCode();
let stack: TestStack;
let folder: string;
const { begin } = steering(() => stack);

beforeAll(async () => {
  if ('missing' in found) return;
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
  folder = await mkdtemp(join(tmpdir(), 'perpetua-test-agent-'));
});
afterAll(async () => {
  if ('missing' in found) return;
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The server as Claude Code starts it. */
const server = () => ({
  command: process.execPath,
  args: [join(packageRoot(), 'dist', 'cli', 'main.js'), 'mcp'],
  env: {
    PATH: '/usr/bin:/bin',
    DATABASE_URL: stack.databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    PERPETUA_HOME: stack.home,
  },
});

/** Runs Claude Code on a prompt, with the tools of `perpetua mcp` alone. Returns its output. */
async function runAgent(program: string, endpoint: string): Promise<string> {
  const config = JSON.stringify({ mcpServers: { perpetua: server() } });
  const prompt = 'Try X=7 in the research by-claude, and tell me the verdict.';
  const options = ['--model', 'scripted', '--mcp-config', config, '--strict-mcp-config'];
  const child = spawn(program, ['-p', prompt, ...options, '--permission-mode', 'bypassPermissions'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      ANTHROPIC_BASE_URL: endpoint,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_TIMEOUT: '120000',
      MCP_TOOL_TIMEOUT: '600000',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  await once(child, 'close');
  return output;
}

if ('missing' in found) test.skip(`Claude Code drives a research: skipped, ${found.missing}`);
else test('Claude Code proposes a change by the tools, and gets its verdict', () => proposeAndWait(found.program));

async function proposeAndWait(program: string): Promise<void> {
  const research = 'by-claude';
  await begin(research, { budget: { trials: 3, whenSpent: 'wait' } });
  const idea = { research, files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven', key: 'seven' };
  const endpoint = await startScriptedTools([
    { tool: 'mcp__perpetua__propose', input: idea },
    { tool: 'mcp__perpetua__wait', input: { research, key: 'seven', seconds: 300 } },
    { text: 'I have the verdict.' },
  ]);
  const output = await runAgent(program, endpoint.url);
  expect(endpoint.offered(), output).toContain('mcp__perpetua__propose');
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
  await endpoint.close();
  await stack.client.workflow.getHandle(research).signal('stop', { now: true });
}
