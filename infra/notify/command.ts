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

function run([program = '', ...args]: readonly string[], { body, env, seconds, signal }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that its children end with it.
    const child = spawn(program, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const kill = (why: string) => (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      reject(new SinkError(why));
    };
    const onAbort = kill('it was stopped with the worker');
    const timer = setTimeout(kill(`it ran for more than ${seconds} s and was killed`), seconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    let output = '';
    const collect = (chunk: Buffer): void => {
      if (output.length < LONGEST_ANSWER) output += chunk.toString('utf8').slice(0, LONGEST_ANSWER);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A program that does not read its input may have ended by now.
    child.stdin.on('error', () => undefined);
    child.on('error', ({ message }) => reject(new SinkError(message)));
    child.on('exit', (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      const result = code === null ? `it was killed by ${String(killedBy)}` : `exit code ${code}`;
      const text = output === '' ? result : `${result}: ${output}`;
      if (code === 0) resolve(text);
      else reject(new SinkError(text));
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
