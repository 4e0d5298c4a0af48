import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Conversation, RunEnd, RunSpec } from '../../compute.ts';
import { confine } from './confine.ts';
import type { LocalContext } from './context.ts';
import { readEnd } from './end.ts';
import { runEnvironment } from './environment.ts';
import { viewOf } from './hide.ts';
import { removeTree } from '../../files.ts';
import { killControl } from './kill.ts';
import type { Attempt } from './paths.ts';
import { stageParts } from './stage.ts';
import { currentAttempt } from './state.ts';
import { startSupervisor, writeControl } from './supervise.ts';

const TAIL = 16 * 1024;

/**
 * Starts the answering program beside what the ended run left: read-only in a sandbox, with a `/tmp` that goes with
 * it. It dies with this process (end of the lifeline).
 */
export async function converse(context: LocalContext, spec: RunSpec): Promise<Conversation> {
  const found = await currentAttempt(context.layout, spec);
  if (found?.status.state !== 'ended')
    throw new Error(`converse: expected an ended run of ${spec.trialId}; it is ${found?.status.state ?? 'absent'}`);
  const control = await prepareTalk(context, spec, found.attempt);
  const child = await startSupervisor(await context.supervisor(), control, { talk: true });
  const { stdin, stdout, stderr } = child;
  const lifeline = child.stdio[3];
  if (!stdin || !stdout || !stderr || !lifeline) throw new Error('converse: expected four pipes to the supervisor');
  lifeline.on('error', ignoreClosed);
  stdin.on('error', ignoreClosed);
  let tail = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-TAIL)));

  const ended = once(child, 'exit').then(async (): Promise<RunEnd> => {
    lifeline.destroy();
    stdin.destroy();
    const end = await readEnd(control);
    await removeTree(join(dirname(control), 'tmp'));
    if (!end) throw new Error(`converse: the supervisor of ${control} ended without ended.json (killed?): ${tail}`);
    return end;
  });
  // Whoever asks gets the error; nobody asking is no crash.
  ended.catch(() => undefined);
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => stdin.write(chunk, (error) => (error ? reject(error) : resolve()))),
    end: () => stdin.end(),
    output: stdout,
    ended,
    stop: async () => {
      await killControl(control);
      await ended.catch(() => undefined);
    },
    stderrTail: () => tail,
  };
}

// The program may end before it has read everything; the writer hears of it from write() itself.
const ignoreClosed = (): void => undefined;

async function prepareTalk(context: LocalContext, spec: RunSpec, attempt: Attempt): Promise<string> {
  const directory = join(attempt.directory, `talk-${randomUUID()}`);
  const [control, tmp, root] = [join(directory, 'ctl'), join(directory, 'tmp'), join(directory, 'root')];
  const { confinement, uid } = await confine(context, spec);
  await mkdir(tmp, { recursive: true });
  await mkdir(root);
  if (uid !== null) await chown(tmp, uid, uid);
  const { data } = stageParts(context.layout, spec.stageHash);
  const folders = { work: attempt.work, tmp: confinement.sandboxed ? '/tmp' : tmp };
  await writeControl(control, {
    control,
    work: attempt.work,
    tmp,
    root,
    fence: spec.fence,
    talk: true,
    command: spec.command,
    env: runEnvironment(context, { ...spec, data }, folders),
    limits: spec.limits,
    confinement,
    uid,
    ...(await viewOf(context, data)),
    supervisor: await context.supervisor(),
  });
  return control;
}
