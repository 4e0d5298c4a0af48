import type { ComponentType } from 'react';
import { Compare } from './compare/compare.tsx';
import { Fleet } from './fleet/fleet.tsx';
import { Knobs } from './knobs/knobs.tsx';
import { Learning } from './learning/learning.tsx';
import { Lineage } from './lineage/lineage.tsx';
import { ResearchPage } from './research/page.tsx';
import { Spend } from './spend/spend.tsx';
import { SetupPage } from './start/setup-page.tsx';
import { StartPage } from './start/start-page.tsx';
import { Trial } from './trial/trial.tsx';
import { TrialsPage } from './trials/trials-page.tsx';

/** Pages by the form of their address; `:name` matches any segment. A new page needs its file and a line here. */
export const PAGES: { form: string; page: ComponentType<{ at: Record<string, string> }> }[] = [
  { form: '', page: StartPage },
  { form: 'setup', page: SetupPage },
  { form: 'r/:id', page: ResearchPage },
  { form: 'r/:id/lineage', page: Lineage },
  { form: 'r/:id/knobs', page: Knobs },
  { form: 'r/:id/learning', page: Learning },
  { form: 'fleet', page: Fleet },
  { form: 'spend', page: Spend },
  { form: 'r/:id/trials', page: TrialsPage },
  { form: 'r/:id/trials/:n', page: Trial },
  { form: 'compare', page: Compare },
];

/** Finds the page of an address, with its named segments; undefined if there is none. */
export function pageOf(segments: readonly string[]) {
  for (const { form, page } of PAGES) {
    const parts = form === '' ? [] : form.split('/');
    if (parts.length !== segments.length) continue;
    const at: Record<string, string> = {};
    const fits = parts.every((part, index) => {
      const segment = segments[index] ?? '';
      if (!part.startsWith(':')) return part === segment;
      at[part.slice(1)] = segment;
      return true;
    });
    if (fits) return { page, at };
  }
  return undefined;
}
