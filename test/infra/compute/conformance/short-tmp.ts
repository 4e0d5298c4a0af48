import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSpec } from '../../../../infra/compute.ts';
import { runName } from '../../../../infra/compute/run-protocol/paths.ts';
import { eventsOf, specOf, type Bench } from './support.ts';

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const BIND = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die $!;
  bind(S, pack_sockaddr_un($ENV{TMPDIR} . "/pymp-12345678/listener-12345678")) or die $!; print "bound\\n"'`;

/** Part of the suite: the temporary folder of a run without a sandbox. */
export function shortTmpTests({ compute, run, stages }: Bench): void {
  /** The folder of a run's first attempt. */
  const attemptOf = (spec: RunSpec): string => {
    const runs = join(dirname(stages()), 'runs');
    const [installation = ''] = readdirSync(runs);
    return join(runs, installation, runName(spec), '5');
  };
  /** Kills a run's supervisor once the run has printed the path of its temporary folder, which it returns. */
  const loseSupervisor = async (spec: RunSpec): Promise<string> => {
    await compute().launch(spec);
    let text = '';
    for await (const event of eventsOf(compute(), spec)) {
      if (event.type === 'output') text += Buffer.from(event.chunk).toString();
      if (text.endsWith('\n')) break;
    }
    const owner = readFileSync(join(attemptOf(spec), 'ctl/claim/owner'), 'utf8');
    process.kill(Number(owner.split(' ')[0]), 'SIGKILL');
    await expect.poll(async () => (await compute().inspect(spec)).state).toBe('lost');
    return text.trim();
  };

  it('is short enough for the sockets of Python, is that of the run, and leaves no link behind', async () => {
    const command = `echo "$TMPDIR"; mkdir "$TMPDIR/pymp-12345678" && ${BIND}; readlink "$TMPDIR"`;
    const { spec, text } = await run(command, { sandbox: 'none' });
    const [path = '', bound, target] = text.trim().split('\n');
    expect([bound, target]).toEqual(['bound', join(attemptOf(spec), 'tmp')]);
    expect(path).toMatch(/^\/tmp\/pt-[0-9a-f]{10}$/);
    expect(exists(path)).toBe(false);
    expect(readdirSync(join(attemptOf(spec), 'tmp'))).toEqual(['pymp-12345678']);
  });

  it('is short in a conversation, too', async () => {
    const { spec } = await run('true', { sandbox: 'none' });
    const talk = await compute().converse({ ...spec, command: 'echo "$TMPDIR"; touch "$TMPDIR/x"' });
    let text = '';
    for await (const chunk of talk.output) text += Buffer.from(chunk).toString();
    await talk.ended;
    expect(text).toMatch(/^\/tmp\/pt-[0-9a-f]{10}\n$/);
    expect(exists(text.trim())).toBe(false);
  });

  it('goes with the run whose supervisor was killed, and a link that the run put in its place stays', async () => {
    const spec = specOf('echo "$TMPDIR"; exec sleep 4381', { sandbox: 'none' });
    const link = await loseSupervisor(spec);
    expect(readlinkSync(link)).toBe(join(attemptOf(spec), 'tmp'));
    await compute().kill(spec, 6);
    await compute().remove(spec);
    expect(exists(link)).toBe(false);

    // The candidate shares the user of its supervisor, and may have replaced the link.
    const other = specOf('echo "$TMPDIR"; exec sleep 4382', { sandbox: 'none' });
    const replaced = await loseSupervisor(other);
    await compute().kill(other, 6);
    rmSync(replaced);
    symlinkSync('/tmp', replaced);
    try {
      await compute().remove(other);
      expect(readlinkSync(replaced)).toBe('/tmp');
    } finally {
      rmSync(replaced);
    }
  });

  it('is swept if its run directory was deleted by hand', async () => {
    const spec = specOf('echo "$TMPDIR"; exec sleep 4383', { sandbox: 'none' });
    const link = await loseSupervisor(spec);
    await compute().kill(spec, 6);
    rmSync(dirname(attemptOf(spec)), { recursive: true });
    await compute().sweep({ keep: [], olderThanSeconds: 3600, dryRun: false });
    expect(exists(link)).toBe(false);
  });
}
