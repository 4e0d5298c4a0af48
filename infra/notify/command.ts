import { spawn } from 'node:child_process';
import type { SinkOf } from '../../domain/notify/sink.ts';
import { LONGEST_ANSWER, SinkError, type SinkAdapter } from './sink-adapter.ts';

/** Runs a program without a shell, with the message as JSON on stdin. Exit code 0: it took the message. */
export const command: SinkAdapter<SinkOf<'command'>> = ({ argv, seconds }, notice, { commandEnv }) => {
  const body = `${JSON.stringify(notice)}\n`;
  return Promise.resolve({
    shown: [`run ${argv.map((word) => JSON.stringify(word)).join(' ')}`, body.trimEnd()],
    secrets: [],
    send: (signal: AbortSignal) => run(argv, { body, env: commandEnv, seconds, signal }),
  });
};

interface Run {
  body: string;
  env: Readonly<Record<string, string>>;
  seconds: number;
  signal: AbortSignal;
}

/** Time for which the output of a program that has ended is awaited, in ms: a child may hold its pipes open. */
const OUTPUT_MS = 500;

function run([program = '', ...args]: readonly string[], { body, env, seconds, signal }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that its children end with it.
    const child = spawn(program, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    let late: NodeJS.Timeout | undefined;
    const end = (error: string | null): void => {
      clearTimeout(timer);
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
      if (child.pid !== undefined) killGroup(child.pid);
      // A child that left the group may hold the pipes, which would keep this process from its end.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      if (error === null) resolve(output === '' ? 'exit code 0' : `exit code 0: ${output}`);
      else reject(new SinkError(error));
    };
    const onAbort = (): void => end('it was stopped with the worker');
    const timer = setTimeout(() => end(`it ran for more than ${seconds} s and was killed`), seconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    const collect = (chunk: Buffer): void => {
      if (output.length < LONGEST_ANSWER) output += chunk.toString('utf8').slice(0, LONGEST_ANSWER);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A program that does not read its input may have ended by now.
    child.stdin.on('error', () => undefined);
    child.on('error', ({ message }) => end(message));
    child.on('exit', (code, killedBy) => {
      const result = code === null ? `it was killed by ${String(killedBy)}` : `exit code ${code}`;
      const finish = (): void => end(code === 0 ? null : [result, output].filter((text) => text !== '').join(': '));
      if (child.pid !== undefined) killGroup(child.pid);
      child.once('close', finish);
      late = setTimeout(finish, OUTPUT_MS);
    });
    child.stdin.end(body);
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
