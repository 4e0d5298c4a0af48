import type { OfferedModels } from '../../domain/llm/asked-model.ts';
import type { Provider } from '../../domain/llm/providers.ts';
import type { Llm } from '../../infra/llm.ts';
import type { ActivityDeps } from '../deps.ts';

type Clients = Partial<Pick<ActivityDeps['models'], 'llm' | 'llmModel' | 'native'>>;

/** Providers of this worker, each with its default model. */
export function offeredModels({ llm, llmModel, native = {} }: Clients): OfferedModels {
  const others = Object.entries(native).map(([name, { model }]) => [name, model] as const);
  const openai = llm === undefined && llmModel === undefined ? {} : { openai: llmModel ?? null };
  return { ...openai, ...Object.fromEntries(others) };
}

/** Client of a provider; undefined if this worker has no endpoint of it. */
export const clientOf = ({ llm, native }: Clients, provider: Provider): Llm | undefined =>
  provider === 'openai' ? llm : native?.[provider]?.llm;
