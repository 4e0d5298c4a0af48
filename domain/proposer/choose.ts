import type { Task } from '../task/task.ts';

export type Chosen = { chosen: 'llm' | 'random'; problem: null } | { chosen: null; problem: string };

/** Who proposes: the proposer that was asked for, else the task's; with `auto`, a model where one can be asked. */
export function proposerFor(
  task: Pick<Task, 'search' | 'knobs'>,
  { asked, model }: { asked?: 'llm' | 'random' | undefined; model: boolean },
): Chosen {
  const wanted = asked ?? task.search.proposer;
  const chosen = wanted === 'auto' ? (model ? 'llm' : 'random') : wanted;
  if (chosen === 'llm' && !model)
    return none(
      'search.proposer: llm needs a model endpoint: set OPENAI_BASE_URL or OPENAI_API_KEY for the worker, or choose random',
    );
  if (chosen === 'random' && task.knobs.length === 0)
    return none(
      'search.proposer: random needs knobs in the task; add knobs, or set a model endpoint (OPENAI_BASE_URL) and proposer llm',
    );
  if (chosen !== 'llm' && chosen !== 'random')
    return none(`search.proposer: ${chosen} is not built yet; built: llm, random`);
  return { chosen, problem: null };
}

const none = (problem: string): Chosen => ({ chosen: null, problem });
