import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../db/connect.ts';
import { readResearch } from '../../db/reads/read-research.ts';
import { readStatus } from '../../db/reads/read-status.ts';
import type { StatusView } from '../../view/status.ts';
import { byModel } from '../support/e2e/cases.ts';
import { untilStopped } from '../support/e2e/slow-task.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;
let endpoint: ScriptedEndpoint;

beforeAll(async () => {
  stack = await startTestStack();
  // Each idea is ten sd of a run better than the one before.
  const answer = (nth: number) =>
    ({ kind: 'answer', text: `HYPOTHESIS: more\n\nknobs.env\n\`\`\`\`\nX=${40 * (nth + 1)}\n\`\`\`\`\n` }) as const;
  endpoint = await startScriptedEndpoint({ script: byModel({ climbs: answer }) });
  await stack.startWorker({ slots: 2, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

async function statusOf(researchId: string): Promise<StatusView> {
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  try {
    const research = await readResearch(db, { researchId });
    if (!research) throw new Error(`expected a research ${researchId}`);
    return await readStatus(db, { research });
  } finally {
    await close();
  }
}

test('a lead whose race waits for more trials than there are is raced when they have ended, and claimed', async () => {
  const noise = `awk -v s="$PERPETUA_SEED" -v x="$X" 'BEGIN { srand(s); print x + 4 * (rand() - .5) }'`;
  const task = await writeTask(join(stack.home, 'tasks', 'climbs'), {
    task: {
      name: 'climbs',
      metric: { name: 'score', direction: 'maximize' },
      keep: { policy: 'noise-gated', baselineRuns: 5 },
      llm: { model: 'climbs' },
      search: { parent: 'lead', proposer: 'llm' },
    },
    files: {
      'workspace/run.sh': `. ./knobs.env\n${noise} > out.txt\n`,
      'evaluator/score.sh': `printf '{"score": %s}' "$(cat artefacts/out.txt)" >&3\n`,
    },
  });
  await stack.startResearch('climbs', { task, window: 1, budget: { trials: 5 } });
  // 64 trials, mostly one after the other.
  await untilStopped(stack, 'climbs', 900);
  const searches = await stack.query(
    `select n, value from trials where research_id = 'climbs' and kind = 'search' order by n`,
  );
  const claims = await stack.query(`select of_trial from claims where research_id = 'climbs' order by seq`);
  const [found] = await stack.query(`select gate ->> 'lastRaceAt' as at from researches where id = 'climbs'`);
  expect(searches).toHaveLength(5);
  expect(found).toEqual({ at: '5' });
  expect(claims.at(-1)).toEqual({ of_trial: searches.at(-1)?.['n'] });
  // Four runs after the claim, which give its value.
  const after = await stack.query(
    `select value from trials where research_id = 'climbs' and kind = 'remeasure' and of_trial = $1
      and ended_at > (select max(at) from claims where research_id = 'climbs')`,
    [searches.at(-1)?.['n']],
  );
  expect(after).toHaveLength(4);
  const mean = after.reduce((sum, { value }) => sum + Number(value), 0) / 4;
  const { best, gain } = await statusOf('climbs');
  expect(best?.value).toBeCloseTo(mean, 10);
  expect(gain.claim).toMatchObject({ source: 'after', runs: 4, value: best?.value });
}, 960_000);
