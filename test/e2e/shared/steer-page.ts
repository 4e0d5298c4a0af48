import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardPageIn, packageRoot } from '../../../config/paths.ts';
import { ensureSecret } from '../../../config/dashboard/secret.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import { createDashboard, type Dashboard } from '../../../dashboard/server/serve.ts';
import { run, type Ran } from '../../cli/support/cli.ts';
import { openView, type Site } from '../../dashboard/page/support/view.ts';
import { noChromium, useBrowser } from '../../support/browser.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const ID = 'by-page';

/** Subject: the buttons of a page that may steer, and who sent a message. */
export function steerPageTests(shared: () => TestStack): void {
  describe.skipIf(noChromium !== undefined)(`in a browser ${noChromium ?? ''}`, () => steerTests(shared));
}

function steerTests(shared: () => TestStack): void {
  const browsing = useBrowser();
  let stack: TestStack;
  let dashboard: Dashboard;
  let site: Site;

  beforeAll(async () => {
    stack = shared();
    const home = join(stack.home, 'page');
    await mkdir(home);
    const secret = ensureSecret(home);
    const readUrl = (await readerAddress(stack.databaseUrl)).url;
    const settings = { host: '127.0.0.1', port: 0, allowHosts: [], readUrl, steer: true, temporal: null };
    const server = { address: stack.temporalAddress, namespace: 'default', connection: {} };
    dashboard = await createDashboard({
      home,
      secret,
      page: dashboardPageIn(packageRoot()),
      settings: () => settings,
      steer: { server: () => Promise.resolve(server), env: {} },
      onError: (message) => process.stderr.write(`${message}\n`),
    });
    const origin = `http://127.0.0.1:${dashboard.port}`;
    site = { origin, secret, base: `${origin}/${secret.path}/` };
  });
  afterAll(() => dashboard.close());

  const command = (...argv: string[]): Promise<Ran> => {
    const { temporalAddress, databaseUrl, home } = stack;
    return run(argv, { env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home } });
  };
  const untilPhase = (...phases: string[]): Promise<unknown> =>
    stack.until(`phase ${phases.join(' or ')}`, `select phase = any($2) as done, phase from researches where id = $1`, [
      ID,
      phases,
    ]);

  test('steer a research as the commands do, and its events say who did it', async () => {
    const task = await writeTask(join(stack.home, 'tasks', ID), { task: { name: ID } });
    await stack.startResearch(ID, { task, window: 1, budget: { trials: 2, whenSpent: 'wait' } });
    await stack.until('its trials', `select last_n >= 3 as done from researches where id = $1`, [ID]);
    const { page, goTo, forgive } = await openView(browsing, site);
    // The browser reports the refused budget.
    forgive(/400 \(Bad Request\)/);
    await goTo(`r/${ID}`);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const outcome = (text: string) => page.locator('.steer-outcome').getByText(text).waitFor();

    await button('Pause').click();
    await outcome(`${ID} pauses: nothing new starts, runs finish`);
    await untilPhase('paused');
    await button('Resume').click();
    await outcome(`${ID} goes on`);
    await untilPhase('running', 'waiting');
    expect((await command('pause', ID)).code).toBe(0);
    await untilPhase('paused');
    // A program of one's own names no sender.
    await stack.client.workflow.getHandle(ID).signal('resume');
    await untilPhase('running', 'waiting');

    await button('Window…').click();
    await page.getByRole('textbox', { name: /^Window/ }).fill('2');
    await button('Set the window').click();
    await outcome(`${ID}: window 1 → 2 (fixed)`);
    await button('Budget…').click();
    await page.getByRole('textbox', { name: 'trials', exact: true }).fill('-1');
    await button('Change the budget').click();
    await page.getByRole('dialog').getByText('trials: expected a number above 0').waitFor();
    await page.getByRole('textbox', { name: 'trials', exact: true }).fill('20');
    await button('Change the budget').click();
    await outcome('budget.trials: 2 → 20');
    await button('Inject…').click();
    await page.getByLabel('Its whole new text').fill('X=7\n');
    await page.getByLabel('Why it should be better').fill('it is seven');
    await button('Inject').click();
    await outcome(`${ID} has the idea; its trial starts before other proposals.`);

    await button('Stop…').click();
    await page
      .getByRole('dialog', { name: `Stop ${ID}?` })
      .getByRole('button', { name: 'Cancel' })
      .click();
    await button('Stop…').click();
    await page.getByLabel('Cancel the runs under way, too').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await outcome(`${ID} stops now: its runs are cancelled`);
    await stack.client.workflow.getHandle(ID).result();
    await button('Start again').click();
    await outcome(`${ID} is open again:`);
    await untilPhase('running', 'waiting');
    expect(await stack.client.workflow.getHandle(ID).query('status')).toMatchObject({ window: 2, windowFixed: true });

    const { stdout } = await command('events', ID);
    const said = stdout.split('\n').filter((line) => /, from |paused → /.test(line));
    const lines = said.map((line) => line.replace(/^.*? (?=running|waiting|paused|window|budget|an idea|stop)/, ''));
    expect(lines).toEqual([
      expect.stringMatching(/^(running|waiting) → paused, from the page: paused by a person/),
      expect.stringMatching(/^paused → (running|waiting), from the page/),
      expect.stringMatching(/^(running|waiting) → paused, from the command line: paused by a person/),
      expect.stringMatching(/^paused → (running|waiting)(?!, from)/),
      'window 1 → 2, from the page',
      'budget.trials 2 → 20, from the page',
      'an idea is injected, from the page: it is seven',
      expect.stringMatching(/^(running|waiting) → stopp(ing|ed), from the page: stopped by a person/),
      expect.stringMatching(/^stopped → (running|waiting), from the page/),
    ]);
    await page.locator('details.panel > summary', { hasText: 'Events' }).click();
    await page.locator('.events').getByText('window 1 → 2, from the page').waitFor();
    await command('stop', ID, '--now');
    await stack.client.workflow.getHandle(ID).result();
  });
}
