import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trialsOf } from '../support/faults.ts';
import { type FleetBox, startFleetBox } from '../support/fleet-box.ts';
import { expectNoProcesses } from '../support/ledger.ts';
import { noSshd } from '../support/sshd.ts';

/** Reads its question, says which process it is, and heeds neither TERM nor the end of its questions. */
const answering = (told: string): string =>
  `trap '' TERM\nread -r question\necho $$ >${told}.new\nmv ${told}.new ${told}\nwhile :; do sleep .1; done\n`;

describe.skipIf(noSshd !== undefined)(`a trial that is stopped while a host is asked for it ${noSshd ?? ''}`, () => {
  let box: FleetBox;
  beforeAll(async () => {
    box = await startFleetBox();
  });
  afterAll(() => box.destroy());

  /** Run directories on the host; the folder above them is its installation's. */
  const directories = (): string[] => {
    const runs = join(box.scratch, 'runs');
    return readdirSync(runs).flatMap((installation) => readdirSync(join(runs, installation)));
  };

  test.each(['abandoned', 'run-killed', 'run-removed'] as const)(
    'by a worker that dies at %s is ended once, and leaves no program, no directory and no slot there',
    async (step) => {
      const { stack } = box;
      const id = `stopped-${step}`;
      const told = join(stack.home, id);
      const worker = await stack.startWorker({ slots: 1, killAt: step });
      await box.startQuick(id, {
        task: {
          search: { parent: 'original', proposer: 'random', window: 1 },
          evaluator: { type: 'interactive', command: 'sh ask.sh', answer: 'sh answer.sh', timeoutSeconds: 300 },
        },
        files: {
          'workspace/answer.sh': answering(told),
          'evaluator/ask.sh': `echo question; read -r answer && printf '{"score": -%s}' "$answer" >&3\n`,
        },
      });
      await expect.poll(() => existsSync(told)).toBe(true);
      expect(directories()).toHaveLength(1);
      const handle = stack.client.workflow.getHandle(id);
      await handle.cancel();
      await worker.gone;
      expect(worker.process.signalCode).toBe('SIGKILL');
      const given = await trialsOf(stack, id);
      expect(given).toMatchObject([{ status: 'aborted', failure: 'stopped-by-operator', runs: 1 }]);
      expect(await held(id)).toBe(1);
      const next = await stack.startWorker({ slots: 1 });
      await expect(handle.result()).rejects.toThrow();
      expect(await trialsOf(stack, id)).toEqual(given);
      expect(await held(id)).toBe(0);
      expect(directories()).toEqual([]);
      await expectNoProcesses(box.scratch);
      expect(existsSync(`/proc/${readFileSync(told, 'utf8').trim()}`)).toBe(false);
      await next.stop();
    },
  );

  /** Slots that the trials of a research hold. */
  const held = async (id: string): Promise<number | undefined> => {
    const [row] = await box.stack.query<{ count: number }>(
      `select count(*)::int from slots where trial_id like $1 || '/%'`,
      [id],
    );
    return row?.count;
  };
});
