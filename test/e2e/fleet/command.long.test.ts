import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { untilStopped } from '../../support/e2e/slow-task.ts';
import { type FleetBox, LAB, startFleetBox } from '../../support/machine/fleet-box.ts';
import { heldCommand } from '../../support/e2e/held-command.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import { expectJobsClosed, type LiveRun, liveRun } from '../../support/e2e/live-run.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import type { TestWorker } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const SOON = { timeout: 180_000, interval: 100 };

let box: FleetBox;
let worker: TestWorker;
let task: string;

const start = (...words: string[]): LiveRun => liveRun(box.stack, [task, '--pool', LAB, ...words]);

const expectNothingLeft = async (): Promise<void> => {
  await expectJobsClosed(box.stack);
  await expectNoProcesses(box.scratch);
};

describe.skipIf(noSshd !== undefined)(`perpetua run on a host of the fleet${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    box = await startFleetBox();
    task = await writeTask(join(box.stack.home, 'tasks', 'asked'), {
      task: {
        name: 'asked',
        run: {
          command: 'sh run.sh',
          budget: { seconds: 300, kind: 'wall' },
          artefacts: [{ path: 'out.txt' }],
          sandbox: 'none',
        },
      },
      files: { 'workspace/data.txt': 'here it is\n' },
    });
    worker = await box.stack.startWorker({ slots: 1 });
  });
  afterAll(() => box.destroy());

  test('runs in the workspace on the host, and returns its output and exit code', async () => {
    const command = start('--', 'sh', '-c', 'cat data.txt; pwd; echo aside >&2; exit 7');
    expect(await command.ended).toMatchObject({ code: 7 });
    const [data, folder = '', aside] = command.stdout().split('\n');
    expect([data, aside]).toEqual(['here it is', 'aside']);
    expect(folder.startsWith(`${box.scratch}/`)).toBe(true);
    const [row] = await box.stack.query('select host from runs where trial_id = $1', [command.id()]);
    expect(row).toEqual({ host: 'box' });
    await expectNothingLeft();
  });

  test.each([
    ['there', LAB],
    ['on this machine', 'local'],
  ])('reuses a setup %s from before a mutable file changed, and has the new text', async (_, pool) => {
    const id = `originals-${pool}`;
    const { stack } = box;
    const [setups, seen] = [join(stack.home, `setups-${pool}`), join(stack.home, `seen-${pool}`)];
    const setup = `[ ! -e deep ] && [ ! -e knobs.env ] && cp run.sh "$PERPETUA_DATA" && echo once >> ${setups}`;
    const version = async (word: string, score: number): Promise<string> => {
      const folder = await writeTask(join(stack.home, 'tasks', `${id}-${word}`), {
        task: {
          name: 'originals',
          mutable: ['knobs.env', 'deep/say.sh'],
          setup: { commands: [setup] },
          run: {
            command: `deep/say.sh >> ${seen} && sh "$PERPETUA_DATA/run.sh"`,
            budget: { seconds: 60, kind: 'wall' },
            artefacts: [{ path: 'out.txt' }],
            sandbox: 'none',
            resources: { pool },
          },
        },
        files: {
          'workspace/deep/say.sh': `#!/bin/sh\necho ${word}\n`,
          // Another metric, so that the changed task has a baseline of its own.
          'evaluator/score.sh': `printf '{"score": ${score}}' >&3\n`,
        },
      });
      await chmod(join(folder, 'workspace/deep/say.sh'), 0o755);
      return folder;
    };
    const untilBaseline = (score: number): Promise<void> =>
      stack.until(
        `a baseline of ${score}`,
        `select count(*) filter (where value = $2) > 0 as done, json_agg(failure_message) from trials
         where research_id = $1 and kind = 'baseline'`,
        [id, score],
      );
    await stack.startResearch(id, { task: await version('first', -1), window: 1 });
    await untilBaseline(-1);
    const second = await version('second', -2);
    const handle = stack.client.workflow.getHandle(id);
    await handle.executeUpdate('changeTask', { args: [{ task: second }] });
    await untilBaseline(-2);
    await handle.signal('stop', { now: true });
    await untilStopped(stack, id);
    const command = liveRun(stack, [second, '--', 'deep/say.sh']);
    expect(await command.ended).toMatchObject({ code: 0 });
    expect(command.stdout()).toBe('second\n');
    expect(new Set(readFileSync(seen, 'utf8').trim().split('\n'))).toEqual(new Set(['first', 'second']));
    expect(readFileSync(setups, 'utf8')).toBe('once\n');
    // A trial that is stopped is counted a moment before its run is closed.
    await vi.waitFor(expectNothingLeft, SOON);
  });

  test('prints its output while it runs, and Ctrl-C ends it on the host', async () => {
    const { args: words, release, starts } = heldCommand(box.stack, 'live');
    const command = start(...words);
    await vi.waitFor(() => expect(command.stdout()).toBe('began\n'), SOON);
    expect(box.supervisors()).not.toEqual([]);
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 1 });
    expect(command.stderr()).toContain('It was stopped.');
    await expectNothingLeft();
    release();
    expect([command.stdout(), starts()]).toEqual(['began\n', 'x\n']);
  });

  test.each(FAULTS['worker-dies/ssh/command'])(
    'runs once and prints everything once though its worker dies at %s',
    async (point) => {
      const { args: words, release, starts } = heldCommand(box.stack, point);
      worker.dieAt(point);
      const command = start(...words);
      if (point === 'run-ended') release();
      await worker.gone;
      expect(worker.process.signalCode).toBe('SIGKILL');
      worker = await box.stack.startWorker({ slots: 1 });
      if (point === 'mid-run') release();
      expect(await command.ended).toMatchObject({ code: 0 });
      expect(command.stdout()).toBe('began\nwent on\n');
      expect(starts()).toBe('x\n');
      await expectNothingLeft();
    },
  );

  test('goes on through a connection that is cut', async () => {
    const { args: words, release, starts } = heldCommand(box.stack, 'cut');
    const command = start(...words);
    await vi.waitFor(() => expect(command.stdout()).toBe('began\n'), SOON);
    box.sshd.cut();
    release();
    expect(await command.ended).toMatchObject({ code: 0 });
    expect([command.stdout(), starts()]).toEqual(['began\nwent on\n', 'x\n']);
    await expectNothingLeft();
  });
});
