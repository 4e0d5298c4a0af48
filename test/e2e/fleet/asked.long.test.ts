import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { trialsOf } from '../../support/e2e/slow-task.ts';
import { type FleetBox, startFleetBox } from '../../support/machine/fleet-box.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import { makeNetwork, noNetworks, type TestNetwork } from '../../support/machine/network.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import type { TestWorker, WorkerOptions } from '../../support/stack.ts';

/** Reads its question, and prints its name, which is the number of seconds that it sleeps. */
const TELLS = `trap '' TERM\nread -r question\nname=$(date +4%N)\necho $name`;
/** Ignores TERM and the end of its questions. */
const NEVER = 'exec sleep $name\n';

const isThere = (name: string | undefined): boolean => spawnSync('pgrep', ['-xf', `sleep ${name}`]).status === 0;

describe.skipIf(noSshd !== undefined)(`a program that answers for a run on a host ${noSshd ?? ''}`, () => {
  let box: FleetBox;
  let network: TestNetwork | undefined;
  beforeAll(async () => {
    if (noNetworks === undefined) network = makeNetwork();
    box = await startFleetBox(network ? { network } : {});
  });
  afterAll(async () => {
    await box.destroy();
    network?.destroy();
  });

  /** Starts a research whose baseline answers by `answer`. `names`: programs that the evaluator has asked so far. */
  async function startAsked(id: string, { answer = NEVER, limits = {} }: { answer?: string; limits?: object } = {}) {
    const named = join(box.stack.home, id);
    await box.startQuick(id, {
      task: {
        search: { parent: 'original', proposer: 'random', window: 1 },
        evaluator: {
          type: 'interactive',
          command: 'sh ask.sh',
          answer: 'sh answer.sh',
          timeoutSeconds: 300,
          ...limits,
        },
      },
      files: {
        'workspace/answer.sh': `${TELLS} >>${named}\n${answer}`,
        'evaluator/ask.sh': `echo question; read -r answer && printf '{"score": -%s}' "$answer" >&3\n`,
      },
    });
    const names = (): string[] => (existsSync(named) ? readFileSync(named, 'utf8').trim().split('\n') : []);
    await expect.poll(names, { timeout: 120_000, interval: 20 }).toHaveLength(1);
    return { handle: box.stack.client.workflow.getHandle(id), names };
  }

  /** Run directories on the host; the folder above them is its installation's. */
  const directories = (): string[] => {
    const runs = join(box.scratch, 'runs');
    return readdirSync(runs).flatMap((installation) => readdirSync(join(runs, installation)));
  };

  /** Slots that the trials of a research hold. */
  const held = async (id: string): Promise<number | undefined> => {
    const [row] = await box.stack.query<{ count: number }>(
      `select count(*)::int from slots where trial_id like $1 || '/%'`,
      [id],
    );
    return row?.count;
  };

  test.each(FAULTS['worker-dies-stopping/ssh/random'])(
    'is gone, with its directory, and its slot is free, if the worker that stops its trial dies at %s',
    async (step) => {
      const { stack } = box;
      const id = `stopped-${step}`;
      const worker = await stack.startWorker({ slots: 1, killAt: step });
      const { handle, names } = await startAsked(id);
      expect(directories()).toHaveLength(1);
      await handle.cancel();
      await worker.gone;
      expect(worker.process.signalCode).toBe('SIGKILL');
      const given = await trialsOf(stack, id);
      expect(given).toMatchObject([{ status: 'aborted', failure: 'stopped-by-operator', runs: 1 }]);
      expect(await held(id)).toBe(1);
      const next = await stack.startWorker({ slots: 1 });
      await expect(handle.result()).rejects.toThrow();
      // The outcome was stored before, which is all that the research waits for.
      await expect.poll(() => held(id)).toBe(0);
      await expect.poll(directories).toEqual([]);
      await expectNoProcesses(box.scratch);
      expect(names().map(isThere)).toEqual([false]);
      expect(await trialsOf(stack, id)).toEqual(given);
      await next.stop();
    },
  );

  test.skipIf(noNetworks !== undefined)(
    `outlives a cut network, and is gone before its slot is lent again, though probing workers die ${noNetworks ?? ''}`,
    async () => {
      const { stack } = box;
      const id = 'half-open';
      const [killed, removed] = FAULTS['worker-dies-looking/ssh/random'];
      await box.apply({ more: { lostAfterSeconds: 5 } });
      const looker = await stack.startWorker({
        slots: 1,
        env: { PERPETUA_KEEPALIVE: '0.5' },
        killAt: killed,
      });
      const { handle, names } = await startAsked(id);
      network?.pull();
      await stack.until('its slot to be given up', `select count(*) = 0 as done from slots where trial_id = $1`, [
        `${id}/1`,
      ]);
      // The sshd of the host noticed nothing.
      expect(names().map(isThere)).toEqual([true]);
      const abandonedRun = () =>
        stack.query(
          `select ended_at, wanted from runs join slots on slots.id = slot_id
           where runs.trial_id = $1 and placement = 0`,
          [`${id}/1`],
        );
      expect(await abandonedRun()).toEqual([{ ended_at: null, wanted: false }]);
      network?.plugIn();
      await looker.gone;
      const lookAnew = async (options: WorkerOptions = {}): Promise<TestWorker> => {
        await stack.query('update hosts set looked_at = to_timestamp(0), quarantined_until = now()');
        return stack.startWorker({ slots: 1, ...options });
      };
      const another = await lookAnew({ killAt: removed });
      await another.gone;
      expect(names().map(isThere)).toEqual([false]);
      expect(directories()).toEqual([]);
      // All is gone on the host, and no worker has stored that.
      expect(await abandonedRun()).toEqual([{ ended_at: null, wanted: false }]);
      expect(await stack.query('select 1 from runs where placement = 1')).toEqual([]);
      const worker = await lookAnew();
      await stack.until('it to be placed once more', `select count(*) = 1 as done from runs where placement = 1`);
      expect(isThere(names()[0])).toBe(false);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      await expectNoProcesses(box.scratch);
      await worker.stop();
      await box.apply();
    },
  );

  test.skipIf(noNetworks !== undefined).each([
    ['a round', { timeoutSeconds: 120, roundSeconds: 5 }],
    ["its evaluator's time", { timeoutSeconds: 6, roundSeconds: 6 }],
  ])(
    `is not charged with a network that is away for longer than %s, if the connection survives ${noNetworks ?? ''}`,
    async (_, limits) => {
      const { stack } = box;
      const id = `held-up-${limits.timeoutSeconds}`;
      const worker = await stack.startWorker({ slots: 1, env: { PERPETUA_KEEPALIVE: '10' } });
      const answer = 'sleep 1\necho 1\nread -r question\n';
      const { handle } = await startAsked(id, { answer, limits });
      network?.pull();
      // Shorter than it takes to give up the connection.
      await sleep(8000);
      network?.plugIn();
      await stack.until('the baseline to end', `select status is not null as done from trials where id = $1`, [
        `${id}/1`,
      ]);
      expect((await trialsOf(stack, id))[0]).toMatchObject({ status: 'completed', failure: null });
      await handle.cancel();
      await worker.stop();
    },
  );
});
