import type { Config } from './load.ts';

/** Whether the environment names an endpoint that models are asked at. */
export const hasModel = ({ openai }: Pick<Config, 'openai'>): boolean =>
  openai.baseUrl !== null || openai.apiKey !== null;
