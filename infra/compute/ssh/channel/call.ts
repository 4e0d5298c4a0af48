import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Channel } from './channel.ts';
import { HostUnusableError } from '../../../compute.ts';
import { ConnectionLostError, type ChannelKind, type Connection } from '../connection/connection.ts';
import { exitOf } from './exit.ts';
import { frameReader, type Frame } from './frames.ts';
import { shellCommand } from './shell-command.ts';

/** Time in ms without data after which the host hangs: a working script sends a beat each second. */
const SILENCE_MS = 120_000;
/** Characters of stderr that are kept. */
const STDERR = 2048;

/** One call of a script on the host. */
export interface ScriptCall {
  kind: ChannelKind;
  /** Arguments after the two halves of the mark. */
  words: string[];
  /** Shell that interprets the script; default: /bin/sh. */
  shell?: string | undefined;
  /** Arguments before the two halves of the mark: the script. */
  script: string[];
  /** Bytes to send when the script requests them. */
  input?: Iterable<Uint8Array> | undefined;
  /** Ends the wait for a channel, not the call. */
  signal?: AbortSignal | undefined;
  /** Receives each frame as it comes, also beats; default: the call returns all frames but beats. */
  onFrame?: ((frame: Frame) => void) | undefined;
}

/** The script refused the call; `code` is its reason. */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The script is gone from the host: its scratch folder was cleared. */
export class ScriptGoneError extends HostUnusableError {}

/** Makes a mark in two halves. The command line never holds the whole mark, so that no echo is taken for it. */
export function newMark(): { halves: [string, string]; mark: string } {
  const halves: [string, string] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
  return { halves, mark: halves.join('') };
}

/** Runs a script once, and returns its frames; throws HostRefusal, or one of the host errors. */
export async function callOnce(host: string, connection: Connection, call: ScriptCall): Promise<Frame[]> {
  const { halves, mark } = newMark();
  const command = shellCommand([...call.script, ...halves, ...call.words], call.shell);
  const channel = await connection.exec(call.kind, command, call.signal);
  const frames: Frame[] = [];
  await talk(channel, { host, connection, call, mark }, (frame) => {
    if (call.onFrame) call.onFrame(frame);
    else if (frame.type !== 'beat') frames.push(frame);
  });
  return frames;
}

interface Talk {
  host: string;
  connection: Connection;
  call: ScriptCall;
  mark: string;
}

function talk(channel: Channel, { host, connection, call, mark }: Talk, onFrame: (frame: Frame) => void) {
  return new Promise<void>((resolve, reject) => {
    const reader = frameReader(mark);
    const stderr = tailOf(channel);
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
      channel.end();
    };
    const timer = setTimeout(() => {
      connection.drop();
      finish(new ConnectionLostError(host, 'timeout', { message: `no answer in ${SILENCE_MS / 1000} s` }));
    }, SILENCE_MS);
    const handleFrame = (frame: Frame): void => {
      connection.noteAnswer();
      if (frame.type === 'done') return finish();
      if (frame.type === 'fail') return finish(failure(host, frame));
      if (frame.type === 'send') void send(channel, call.input, () => timer.refresh());
      else onFrame(frame);
    };
    channel.on('data', (chunk: Buffer) => {
      timer.refresh();
      try {
        for (const frame of reader.push(chunk)) handleFrame(frame);
      } catch (error) {
        finish(new HostUnusableError(host, `cannot read the host script's answer: ${String(error)}`, { cause: error }));
        channel.close();
      }
    });
    channel.once('close', () =>
      finish(endedEarly(host, { exit: exitOf(channel).code, started: reader.started(), stderr: stderr() })),
    );
    if (call.input === undefined) channel.end();
  });
}

async function send(channel: Channel, input: Iterable<Uint8Array> = [], onProgress: () => void): Promise<void> {
  for (const chunk of input) {
    if (!channel.writable) return;
    if (!channel.write(chunk)) await Promise.race([once(channel, 'drain'), once(channel, 'close')]);
    onProgress();
  }
  channel.end();
}

function failure(host: string, { words: [code = 'host'], payload }: Frame): Error {
  const text = payload.toString('utf8');
  return code === 'host' ? new HostUnusableError(host, text) : new HostRefusal(code, text);
}

function endedEarly(host: string, end: { exit: number | null | undefined; started: boolean; stderr: string }): Error {
  const { exit, started, stderr } = end;
  // Neither a lost connection nor a killed session has an exit code.
  if (typeof exit !== 'number')
    return new ConnectionLostError(host, 'closed', { message: 'the connection was lost during a call' });
  const text = stderr.trim() || 'nothing on stderr';
  if (!started && [2, 126, 127].includes(exit))
    return new ScriptGoneError(host, `cannot start the host script: ${text}`);
  // A script that began has written its reason to stderr.
  const hint = started ? '' : ' (check that neither sshd nor authorized_keys forces another command)';
  return new HostUnusableError(host, `expected the host script to finish; got exit code ${exit}: ${text}${hint}`);
}

function tailOf(channel: Channel): () => string {
  let tail = '';
  channel.stderr.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString('utf8')).slice(-STDERR)));
  return () => tail;
}
