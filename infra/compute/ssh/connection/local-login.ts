import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { Channel, Login } from '../channel/channel.ts';

/**
 * This very machine as one that is logged in to, without SSH: each program is a process of ours in a session of its own, with that
 * environment alone. As over SSH, what it started outlives the login.
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
    unforwardIn: (_address: string, _port: number, answered: () => void): void => void setImmediate(answered),
    end,
    destroy: end,
  });
}

function channelOf(child: ChildProcessWithoutNullStreams): Channel {
  const { stdin, stdout, stderr } = child;
  const pipes = [stdin, stdout, stderr];
  const channel = new Duplex({
    read: () => void stdout.resume(),
    // What a program does not read any more is no error of the channel: its end tells.
    write: (chunk: Buffer, _encoding, done) => void (stdin.writable ? stdin.write(chunk, () => done()) : done()),
    final: (done) => void (stdin.end(), done()),
    destroy: (error, done) => {
      for (const pipe of pipes) pipe.destroy();
      done(error);
    },
  });
  for (const pipe of pipes) pipe.on('error', () => undefined);
  stdout.on('data', (chunk: Buffer) => channel.push(chunk) || stdout.pause());
  stdout.once('end', () => channel.push(null));
  child.once('exit', (code: number | null) => channel.emit('exit', code));
  // Its input may never have been ended by us.
  child.once('close', () => channel.end());
  return Object.assign(channel, { stderr, close: () => void channel.destroy() });
}
