import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FleetBox, startFleetBox } from '../../support/machine/fleet-box.ts';
import { noSshd } from '../../support/machine/sshd.ts';

/** A host that can make no namespaces, so that only a process group holds a run. */
const ALONE = ['unshare', '-m', 'sh', '-c', 'mount --bind /bin/false /usr/bin/unshare; exec "$@"', 'sh'];
const canHide = spawnSync('unshare', ['-m', 'mount', '--bind', '/bin/false', '/usr/bin/unshare']).status === 0;

/** Kills the nearest sshd above it, which is its own connection. */
const CUTS_ITSELF_OFF = `pid=$$
while [ "$pid" -gt 1 ]; do
  read -r line </proc/$pid/stat
  set -- \${line##*) }
  pid=$2
  case $(cat /proc/$pid/comm) in sshd*) kill -9 "$pid" && break ;; esac
done
sleep 60
`;

describe.skipIf(noSshd !== undefined || !canHide)(`a program that cuts itself off ${noSshd ?? ''}`, () => {
  let box: FleetBox;
  beforeAll(async () => {
    box = await startFleetBox({ network: { address: '127.0.0.1', enter: ALONE } });
  });
  afterAll(() => box.destroy());

  test('is asked three times in each of two placements, and its host is blamed only twice', async () => {
    const { stack } = box;
    const askedFile = join(stack.home, 'asked');
    const worker = await stack.startWorker({ slots: 1 });
    await box.startQuick('cut-off', {
      task: {
        // One trial at a time, so that it shares its connection with no other trial.
        search: { parent: 'original', proposer: 'random', window: 1 },
        evaluator: {
          type: 'interactive',
          command: 'sh ask.sh',
          answer: 'sh answer.sh',
          timeoutSeconds: 60,
          roundSeconds: 30,
        },
      },
      files: {
        'workspace/answer.sh': `read -r question; echo "\${PWD%/talk-*}" >>${askedFile}\n${CUTS_ITSELF_OFF}`,
        'evaluator/ask.sh': `echo question; read -r answer && printf '{"score": -%s}' "$answer" >&3\n`,
      },
    });
    // The research begins another trial then, which is not lost yet.
    await stack.until('the baseline to end', `select status is not null as done from trials order by n limit 1`);
    const [host] = await stack.query<{ failures: number }>('select failures from hosts');
    await worker.stop();
    const [trial] = await stack.query<{ id: string }>('select id, status, failure from trials order by n limit 1');
    expect(trial).toMatchObject({ status: 'lost', failure: 'machine-lost' });
    const times = readFileSync(askedFile, 'utf8').trim().split('\n');
    const [first, other] = new Set(times);
    expect([first, other].map((run) => times.filter((time) => time === run).length)).toEqual([3, 3]);
    const runs = await stack.query(
      `select placement, "end"->>'containment' as held, shortage from runs where trial_id = $1 order by 1`,
      [trial?.id],
    );
    const shortage = expect.stringContaining('or the connection to it') as string;
    expect(runs).toEqual([0, 1].map((placement) => ({ placement, held: 'process-group', shortage })));
    // Two runs that were lost one after the other, not six failures.
    expect(host?.failures).toBe(2);
  });
});
