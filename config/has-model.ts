import type { OfferedModels } from '../domain/llm/asked-model.ts';
import { PROVIDER_NAMES } from '../domain/llm/providers.ts';
import type { Config } from './load.ts';

type Providers = Pick<Config, 'openai' | 'anthropic' | 'gemini'>;

/** Providers to which the environment gives an endpoint, each with its default model. */
export const offeredModels = (config: Providers): OfferedModels =>
  Object.fromEntries(
    PROVIDER_NAMES.filter((name) => config[name].baseUrl !== null || config[name].apiKey !== null).map((name) => [
      name,
      config[name].model,
    ]),
  );

/** True if the environment names an endpoint of models, and a model that a task without `llm.model` gets. */
export const hasModel = (config: Providers): boolean =>
  Object.values(offeredModels(config)).some((model) => model !== null);
