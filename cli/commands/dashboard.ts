import type { Command } from 'commander';
import { originOf, type Listening } from '../../config/dashboard/listening.ts';
import { isLoopback, notLoopback } from '../../config/dashboard/loopback.ts';
import { readSettings } from '../../config/dashboard/settings.ts';
import type { Config } from '../../config/load.ts';
import { refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { configOf } from '../context.ts';
import { findListening } from '../dashboard/process.ts';
import { serveInForeground } from '../dashboard/serve-in-foreground.ts';
import { enterUrl, ensureSecret } from '../../config/dashboard/secret.ts';
import { hasDisplay, openBrowser } from '../dashboard/open-browser.ts';

interface Options {
  port?: string;
  host?: string;
  allowHost?: string[];
  steer?: boolean;
  open: boolean;
  json?: boolean;
}

export function registerDashboard(program: Command, io: Io): void {
  program
    .command('dashboard')
    .description('Open the dashboard of the stack that is up. If no stack runs one, serve it here until Ctrl-C.')
    .option('--port <n>', 'port to serve on (default: 4400, or another if that is taken)')
    .option('--host <address>', 'address to serve on (default: this machine alone)')
    .option('--allow-host <names...>', 'host names that browsers may use for it, such as the name of a proxy')
    .option('--steer', 'let the page steer: pause, stop, budget and more; only on an address of this machine alone')
    .option('--no-open', 'print the link only, open no browser')
    .option('--json', 'one JSON object')
    .action((options: Options) => dashboard(io, options));
}

async function dashboard(io: Io, options: Options): Promise<void> {
  const port = portOf(options.port);
  const { host = '127.0.0.1', steer = false } = options;
  if (steer && !isLoopback(host)) throw refused(notLoopback(host));
  const config = configOf(io);
  const running = findListening(config.home);
  if (running) {
    if (port !== undefined || options.host !== undefined || options.allowHost !== undefined)
      throw refused(
        `A dashboard of this home runs already, on ${running.host}, port ${running.port}. ` +
          'Leave out --port, --host and --allow-host, or start the stack with --no-dashboard first.',
      );
    if (steer && !readSettings(config.home).steer)
      throw refused(
        'A dashboard of this home runs already, and its page may not steer. ' +
          'Stop it, then start it with --steer: `npx perpetua up --steer`.',
      );
    return show(io, { config, running, options });
  }
  await serveInForeground(io, {
    config,
    port,
    host,
    steer,
    allowHosts: options.allowHost ?? [],
    onListening: (listening) => show(io, { config, running: listening, options }),
  });
}

/** Prints the link and opens a browser. The link contains the token, since a person requests it by this command. */
async function show(
  io: Io,
  { config, running, options }: { config: Config; running: Listening; options: Options },
): Promise<void> {
  const url = enterUrl(originOf(running), ensureSecret(config.home));
  const opens = options.open && !options.json && io.stdout.isTTY === true && hasDisplay(config);
  if (options.json) printJson(io, { url, host: running.host, port: running.port, pid: running.pid });
  else {
    printLine(io, url);
    printLine(
      io,
      'This link is a secret: whoever has it and reaches this machine sees everything that the page shows.',
    );
    if (opens) printLine(io, 'Opening it in a browser.');
  }
  if (opens) openBrowser(config);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw refused(`Expected --port to be a number from 1 to 65535, got ${JSON.stringify(text)}.`);
}
