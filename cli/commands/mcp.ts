import type { Command } from 'commander';
import { refused } from '../errors.ts';
import { type Io } from '../io.ts';
import { configOf } from '../context.ts';
import { readSkill } from '../mcp/read-address.ts';
import { serveHttp } from '../mcp/serve-http.ts';
import { serveStdio } from '../mcp/serve-stdio.ts';
import type { Session } from '../mcp/session.ts';

interface Options {
  tasks?: string;
  allowStart?: boolean;
  http?: string;
  skill?: boolean;
}

const LARGEST_PORT = 65_535;

export function registerMcp(program: Command, io: Io): void {
  program
    .command('mcp')
    .description(
      'Serve coding agents by the Model Context Protocol, on stdin and stdout: read researches, propose changes, ' +
        'wait for verdicts.',
    )
    .option('--tasks <names>', 'tasks that the tool start may name: names or folders, separated by commas')
    .option('--allow-start', 'let the tool start name any task')
    .option('--http <port>', 'serve HTTP on this port of 127.0.0.1 instead; 0: any free port')
    .option('--skill', 'print the skill file, which teaches an agent to write a task and to read verdicts')
    .addHelpText(
      'after',
      '\nWith --http a client needs a token: that of PERPETUA_MCP_TOKEN, else a new one, which stderr shows.' +
        '\nExample: claude mcp add perpetua -- npx perpetua mcp',
    )
    .action(async (options: Options) => {
      if (options.skill) {
        io.stdout.write(readSkill());
        return;
      }
      const session: Session = { io, startable: options.allowStart ? 'any' : namesIn(options.tasks) };
      if (options.http === undefined) return serveStdio(session);
      return serveHttp(session, { port: portOf(options.http), token: configOf(io).mcpToken });
    });
}

function namesIn(text: string | undefined): string[] {
  if (text === undefined) return [];
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw refused(`Expected --tasks to be names separated by commas, got ${JSON.stringify(text)}.`);
  return names;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > LARGEST_PORT)
    throw refused(`Expected --http to be a port from 0 to ${LARGEST_PORT}, got ${JSON.stringify(text)}.`);
  return port;
}
