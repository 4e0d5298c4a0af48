import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { Channel, Login } from '../channel/channel.ts';

/**
 * A login to this very machine, without SSH. Each program is a child process in a session of its own, with that
 * environment alone. As over SSH, processes that it started outlive the login.
 */
export function openLocalLogin(env: Readonly<Record<string, string>>): Login {
  const events = new EventEmitter();
  const open = new Set<Channel>();
  const end = (): void => {
    for (const channel of open) channel.close();
    events.emit('close');
  };
  return Object.assign(events, {
    exec: (command: string, opened: Parameters<Login['exec']>[1]): void => {
      const child = spawn('/bin/sh', ['-c', command], { cwd: '/', env: { ...env }, detached: true });
      const channel = channelOf(child);
      child.once('error', (error) => opened(error, channel));
      child.once('spawn', () => {
        open.add(channel.once('close', () => open.delete(channel)));
        opened(undefined, channel);
      });
    },
    unforwardIn: (_address: string, _port: number, answered: () => void): void => {
      setImmediate(answered);
    },
    end,
    destroy: end,
  });
}

function channelOf(child: ChildProcessWithoutNullStreams): Channel {
  const { stdin, stdout, stderr } = child;
  const pipes = [stdin, stdout, stderr];
  const channel = new Duplex({
    read: () => {
      stdout.resume();
    },
    // Input that the program does not read is no error of the channel: the program's end shows what happened.
    write: (chunk: Buffer, _encoding, done) => {
      if (stdin.writable) stdin.write(chunk, () => done());
      else done();
    },
    final: (done) => {
      stdin.end();
      done();
    },
    destroy: (error, done) => {
      for (const pipe of pipes) pipe.destroy();
      done(error);
    },
  });
  for (const pipe of pipes) pipe.on('error', () => undefined);
  stdout.on('data', (chunk: Buffer) => channel.push(chunk) || stdout.pause());
  stdout.once('end', () => channel.push(null));
  child.once('exit', (code: number | null) => channel.emit('exit', code));
  // The channel's input may still be open.
  child.once('close', () => channel.end());
  const close = (): void => {
    channel.destroy();
  };
  return Object.assign(channel, { stderr, close });
}
