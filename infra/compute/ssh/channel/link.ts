import { HostUnusableError } from '../../../compute.ts';
import { once } from '../../run-protocol/once.ts';
import { layoutOf, type Layout } from '../../run-protocol/paths.ts';
import { callOnce, ScriptGoneError, type ScriptCall } from './call.ts';
import { ConnectionLostError, type ChannelKind, type Connection } from '../connection/connection.ts';
import type { Frame } from './frames.ts';
import { loadScripts } from '../scripts.ts';
import { tarOf } from './tar.ts';

/** Without these a host can run nothing. */
const TOOLS = [
  'setsid',
  'tar',
  'stat',
  'flock',
  'sha256sum',
  'dd',
  'head',
  'tail',
  'find',
  'grep',
  'xargs',
  'mkfifo',
  'tee',
];
const TRIES = 3;

/** What a host said of itself. */
export interface Facts {
  layout: Layout;
  isRoot: boolean;
}

export interface LinkOptions {
  host: string;
  installation: string;
  scratch: string;
  shell?: string | undefined;
}

/** How one verb is asked for. */
export interface VerbCall {
  verb: string;
  words?: (string | number)[];
  kind?: ChannelKind;
  input?: () => Iterable<Uint8Array>;
  /** Ends the wait for a channel. */
  signal?: AbortSignal;
}

/** A host with our scripts in place. */
export interface Link {
  readonly host: string;
  readonly connection: Connection;
  /** What the host is; found out once, and again where its scratch folder was cleared. */
  facts(): Promise<Facts>;
  /** Path of the supervisor's script on the host. */
  supervisor(): Promise<string>;
  /** Asks until it is answered, over lost connections too: every verb may be repeated. */
  call(ask: VerbCall): Promise<Frame[]>;
  /** Asks once, and hears each frame as it comes, beats too. */
  callStreaming(ask: VerbCall, onFrame: (frame: Frame) => void): Promise<void>;
  /** Words that start a verb of the script; the mark's two halves come between them. */
  words(ask: VerbCall): Promise<{ script: string[]; words: string[]; shell: string | undefined }>;
}

/** Brings the scripts to a host when it is first asked for something. */
export function linkTo(connection: Connection, options: LinkOptions): Link {
  const { host, shell } = options;
  let hello = once(() => sayHello(connection, options));
  const installation = layoutOf('/', options.installation).runs.slice('/runs/'.length);

  const words = async ({ verb, words: more = [] }: VerbCall) => {
    const { facts, hash } = await hello();
    const script = [`${facts.layout.home}/bin/host-${hash}.sh`];
    return { script, words: [installation, verb, ...more.map(String)], shell };
  };
  const onceMore = async (ask: VerbCall, onFrame?: (frame: Frame) => void): Promise<Frame[]> => {
    const call = async (): Promise<ScriptCall> => ({
      ...(await words(ask)),
      kind: ask.kind ?? 'verb',
      input: ask.input?.(),
      signal: ask.signal,
      onFrame,
    });
    try {
      return await callOnce(host, connection, await call());
    } catch (error) {
      if (!(error instanceof ScriptGoneError)) throw error;
      hello = once(() => sayHello(connection, options));
      return callOnce(host, connection, await call());
    }
  };

  return {
    host,
    connection,
    facts: async () => (await hello()).facts,
    supervisor: async () => {
      const { facts, hash } = await hello();
      return `${facts.layout.home}/bin/supervisor-${hash}.sh`;
    },
    words,
    call: (ask) => patiently(() => onceMore(ask)),
    callStreaming: async (ask, onFrame) => void (await onceMore(ask, onFrame)),
  };
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || tries === TRIES) throw error;
    }
  }
}

async function sayHello(connection: Connection, options: LinkOptions): Promise<{ facts: Facts; hash: string }> {
  const { host, installation, scratch, shell = '/bin/sh' } = options;
  const { hash, host: script, supervisor, bootstrap } = await loadScripts();
  const text = (path: string, content: string) => ({ path, content: Buffer.from(content), mode: 0o700 });
  const name = layoutOf('/', installation).runs.slice('/runs/'.length);
  const frames = await patiently(() =>
    callOnce(host, connection, {
      kind: 'verb',
      script: ['-c', bootstrap, 'sh'],
      words: [scratch, hash, name, shell, ...TOOLS],
      input: tarOf([text('host.sh', script), text('supervisor.sh', supervisor)]),
    }),
  );
  const fact = (type: string): string => frames.find((frame) => frame.type === type)?.payload.toString('utf8') ?? '';
  const missing = fact('missing').trim();
  if (missing !== '') throw new HostUnusableError(host, `expected these programs on it: ${missing}; install them`);
  const home = fact('home');
  if (!home.startsWith('/') || /[\x00-\x1f\x7f]/.test(home))
    throw new HostUnusableError(
      host,
      `expected a scratch folder without control characters; got ${JSON.stringify(home)}`,
    );
  return { facts: { layout: layoutOf(home, installation), isRoot: fact('uid') === '0' }, hash };
}
