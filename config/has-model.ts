import type { Config } from './load.ts';

/** True if the environment names an endpoint of models. */
export const hasModel = ({ openai }: Pick<Config, 'openai'>): boolean =>
  openai.baseUrl !== null || openai.apiKey !== null;
