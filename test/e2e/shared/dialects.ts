import { beforeAll, describe, expect, test } from 'vitest';
import { MEMORY_PATH } from '../../../domain/edit/answer/memory.ts';
import { slowTask, untilStopped } from '../../support/e2e/slow-task.ts';
import type { Behaviour, ScriptedRequest } from '../../support/scripted-endpoint.ts';
import type { TestStack } from '../../support/stack.ts';
import { editOf } from '../misbehaviour/bad-models/cases.ts';

const editText = (nth: number): string => editOf('knobs.env', 'X=1.5', `X=${nth + 2}`);
const edit = (nth: number): Behaviour => ({ kind: 'answer', text: editText(nth) });
const memoryBlock = (text: string): string => `${MEMORY_PATH}\n\`\`\`\`\n${text}\n\`\`\`\`\n`;
const OVERLOADED = { error: { message: 'too many requests, slow down', code: 'rate_limit_exceeded' } };
const REFUSED = { error: { message: "this model takes no 'temperature'", param: 'temperature' } };

/** Answers of the models that this subject needs, by their number and request. */
export const DIALECTS: Record<string, (nth: number, request: ScriptedRequest) => Behaviour> = {
  overloaded: (nth) => (nth <= 3 ? { kind: 'status', status: 200, body: OVERLOADED } : edit(nth)),
  remembering: (nth) => ({ kind: 'answer', text: `${editText(nth)}\n${memoryBlock(`learnt in answer ${nth}`)}` }),
  picky: (nth, { body }) => ('temperature' in body ? { kind: 'status', status: 400, body: REFUSED } : edit(nth)),
};

/** The subject of endpoints that differ from OpenAI's; its stack has an endpoint that answers by `DIALECTS`. */
export function dialectTests(shared: () => { stack: TestStack; requests: readonly ScriptedRequest[] }): void {
  const requestsOf = (id: string) => shared().requests.filter(({ body }) => body.model === id);

  describe('an endpoint', () => {
    beforeAll(async () => {
      const { stack } = shared();
      for (const id of Object.keys(DIALECTS)) {
        const task = await slowTask(stack, id, {
          seconds: 0.1,
          task: {
            name: id,
            llm: { model: id },
            search: { parent: 'original', proposer: 'llm', context: { name: 'history', memory: id === 'remembering' } },
          },
        });
        await stack.startResearch(id, { task, window: 1, budget: { trials: 2 } });
      }
    });

    const statusesOf = (id: string) =>
      shared().stack.query<{ status: string; failed: number }>(
        `select trials.status, coalesce(sum(failed), 0)::int as failed
         from trials left join calls on calls.trial_id = trials.id
         where research_id = $1 and kind = 'search' group by n, trials.status order by n`,
        [id],
      );

    test('that reports an overload with status 200 makes the research wait, and costs no trial', async () => {
      const { stack } = shared();
      await untilStopped(stack, 'overloaded');
      expect(await statusesOf('overloaded')).toEqual([
        { status: 'completed', failed: 3 },
        { status: 'completed', failed: 0 },
      ]);
      const events = await stack.query<{ kind: string; text: string }>(
        `select kind, data::text as text from events
         where research_id = 'overloaded' and kind like 'endpoint-%' order by id`,
      );
      expect(events.map(({ kind }) => kind)).toEqual(['endpoint-down', 'endpoint-back']);
      expect(events[0]?.text).toContain('too many requests, slow down');
      expect(requestsOf('overloaded')).toHaveLength(5);
    });

    test('gets the memory that its last answer left, and each version is a row of its trial', async () => {
      const { stack } = shared();
      await untilStopped(stack, 'remembering');
      const prompts = requestsOf('remembering').map(({ body }) => JSON.stringify(body.messages));
      expect(prompts.map((text) => /learnt in answer \d/.exec(text)?.[0])).toEqual([undefined, 'learnt in answer 1']);
      const versions = await stack.query<{ text: string; sizes: string[] }>(
        `select text, jsonb_path_query_array(prompt_sizes, '$[*].part') as sizes from memories
         join calls using (trial_id) where research_id = 'remembering' order by id`,
      );
      expect(versions.map(({ text }) => text)).toEqual(['learnt in answer 1\n', 'learnt in answer 2\n']);
      expect(versions.map(({ sizes }) => sizes.includes('memory'))).toEqual([false, true]);
    });

    test('that refuses the temperature is asked once more without it, and from then on without it', async () => {
      await untilStopped(shared().stack, 'picky');
      expect(await statusesOf('picky')).toEqual([
        { status: 'completed', failed: 0 },
        { status: 'completed', failed: 0 },
      ]);
      expect(requestsOf('picky').map(({ body }) => 'temperature' in body)).toEqual([true, false, false]);
    });
  });
}
