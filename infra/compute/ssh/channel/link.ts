import { HostUnusableError } from '../../../compute.ts';
import { once } from '../../run-protocol/once.ts';
import { layoutOf, type Layout } from '../../run-protocol/paths.ts';
import { callOnce, ScriptGoneError, type ScriptCall } from './call.ts';
import { ConnectionLostError, type ChannelKind, type Connection } from '../connection/connection.ts';
import type { Frame } from './frames.ts';
import { loadScripts } from '../scripts.ts';
import { tarOf } from './tar.ts';

/** Programs without which a host can run nothing. */
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

/** Facts that a host reports about itself. */
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

/** One call of a verb of the host script. */
export interface VerbCall {
  verb: string;
  words?: (string | number)[];
  kind?: ChannelKind;
  input?: () => Iterable<Uint8Array>;
  /** Ends the wait for a channel. */
  signal?: AbortSignal;
}

/** A host with the scripts installed. */
export interface Link {
  readonly host: string;
  readonly connection: Connection;
  /** Facts about the host: read once, and again if its scratch folder was cleared. */
  facts(): Promise<Facts>;
  /** Path of the supervisor's script on the host. */
  supervisor(): Promise<string>;
  /** Calls a verb, and repeats it over lost connections: every verb is safe to repeat. */
  call(request: VerbCall): Promise<Frame[]>;
  /** Calls a verb once, and passes on each frame as it comes, also beats. */
  callStreaming(request: VerbCall, onFrame: (frame: Frame) => void): Promise<void>;
  /** Arguments that start a verb: the script, then the two halves of a mark, then `words`. */
  words(request: VerbCall): Promise<{ script: string[]; words: string[]; shell: string | undefined }>;
}

/** Makes the link to a host. The first call installs the scripts there. */
export function linkTo(connection: Connection, options: LinkOptions): Link {
  const { host, shell } = options;
  let setup = once(() => installScripts(connection, options));
  const installation = layoutOf('/', options.installation).runs.slice('/runs/'.length);

  const words = async ({ verb, words: more = [] }: VerbCall) => {
    const { facts, hash } = await setup();
    const script = [`${facts.layout.home}/bin/host-${hash}.sh`];
    return { script, words: [installation, verb, ...more.map(String)], shell };
  };
  /** Calls a verb. If the script is gone, installs it again and calls once more. */
  const callOrReinstall = async (request: VerbCall, onFrame?: (frame: Frame) => void): Promise<Frame[]> => {
    const call = async (): Promise<ScriptCall> => ({
      ...(await words(request)),
      kind: request.kind ?? 'verb',
      input: request.input?.(),
      signal: request.signal,
      onFrame,
    });
    try {
      return await callOnce(host, connection, await call());
    } catch (error) {
      if (!(error instanceof ScriptGoneError)) throw error;
      setup = once(() => installScripts(connection, options));
      return callOnce(host, connection, await call());
    }
  };

  return {
    host,
    connection,
    facts: async () => (await setup()).facts,
    supervisor: async () => {
      const { facts, hash } = await setup();
      return `${facts.layout.home}/bin/supervisor-${hash}.sh`;
    },
    words,
    call: (request) => retryLost(() => callOrReinstall(request)),
    callStreaming: async (request, onFrame) => {
      await callOrReinstall(request, onFrame);
    },
  };
}

/** Repeats work if the connection is lost, TRIES times in all. */
async function retryLost<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || tries === TRIES) throw error;
    }
  }
}

async function installScripts(connection: Connection, options: LinkOptions): Promise<{ facts: Facts; hash: string }> {
  const { host, installation, scratch, shell = '/bin/sh' } = options;
  const { hash, host: script, supervisor, bootstrap } = await loadScripts();
  const text = (path: string, content: string) => ({ path, content: Buffer.from(content), mode: 0o700 });
  const name = layoutOf('/', installation).runs.slice('/runs/'.length);
  const frames = await retryLost(() =>
    callOnce(host, connection, {
      kind: 'verb',
      script: ['-c', bootstrap, 'sh'],
      words: [scratch, hash, name, shell, ...TOOLS],
      input: tarOf([text('host.sh', script), text('supervisor.sh', supervisor)]),
    }),
  );
  const fact = (type: string): string => frames.find((frame) => frame.type === type)?.payload.toString('utf8') ?? '';
  const missing = fact('missing').trim();
  if (missing !== '')
    throw new HostUnusableError(host, `expected these programs on the host: ${missing}; install them`);
  const home = fact('home');
  if (!home.startsWith('/') || /[\x00-\x1f\x7f]/.test(home))
    throw new HostUnusableError(
      host,
      `expected a scratch folder without control characters; got ${JSON.stringify(home)}`,
    );
  return { facts: { layout: layoutOf(home, installation), isRoot: fact('uid') === '0' }, hash };
}
