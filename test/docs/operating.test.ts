import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homePaths, packageRoot } from '../../config/paths.ts';
import { VARIABLES } from '../../config/variables.ts';
import { CATALOG } from '../../cli/catalog.ts';
import { QUEUES, SIGNALS, UPDATES } from '../../domain/messages.ts';
import { EVENTS } from '../../domain/event/kinds.ts';
import { JOB_SHAPES } from '../../domain/job.ts';
import { PHASES } from '../../domain/research/phase.ts';
import { FAILURE_LABELS, TRIAL_KINDS, TRIAL_STATUSES, VERDICTS } from '../../domain/trial.ts';
import { blocksOf, codeOf, readDoc, rowsOf } from './tables.ts';

const GUIDES = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'docs/guides/tasks.md',
  'docs/guides/operating.md',
  'docs/concepts/verdicts.md',
  'docs/concepts/early-abort.md',
  'docs/early-abort-measured.md',
  'docs/guides/learning.md',
  'docs/guides/security.md',
  'docs/guides/fleet.md',
];
const operating = await readDoc('docs/guides/operating.md');
const rows = rowsOf(operating);
const firsts = new Set(rows.map(([first]) => codeOf(first)));

describe('docs/guides/operating.md', () => {
  test('has the table of the environment as the code reads it', () => {
    const stated = rows.filter(([name]) => /^`[A-Z][A-Z_]+`$/.test(name ?? ''));
    expect(stated).toEqual(VARIABLES.map(({ name, default: value, doc }) => [`\`${name}\``, value, doc]));
  });

  test.each([
    ['phase', PHASES],
    ['outcome', TRIAL_STATUSES],
    ['kind of trial', TRIAL_KINDS],
    ['queue', [QUEUES.main, QUEUES.propose, QUEUES.monitor, QUEUES.score, QUEUES.fleet('local')]],
    ['failure label', FAILURE_LABELS.filter((label) => label !== 'launch-failed' && label !== 'setup-failed')],
  ])('has a row for every %s', (_, names) => {
    for (const name of names) expect(firsts).toContain(name);
  });

  test('has a row for every kind of event, with its level', () => {
    const stated = rows.flatMap(([first, level]) => {
      const kind = codeOf(first);
      return kind !== undefined && Object.hasOwn(EVENTS, kind) ? [[kind, codeOf(level)]] : [];
    });
    expect(stated).toEqual(Object.entries(EVENTS).map(([kind, { level }]) => [kind, level]));
  });

  test('names every message that a person may send', () => {
    const { trialEnded, ...signals } = SIGNALS;
    expect(operating).not.toContain(trialEnded);
    for (const name of [...Object.values(signals), ...Object.values(UPDATES)]) expect(operating).toContain(name);
  });

  test('names every folder of the home', () => {
    const { temporalCli, ...folders } = homePaths('');
    expect(temporalCli).toContain('bin');
    for (const path of Object.values(folders)) expect(operating).toContain(`\`${path.replace(/^\//, '')}`);
    for (const path of ['probe/', 'hidden/', 'host', 'up.log']) expect(operating).toContain(`\`${path}\``);
  });
});

test('docs/concepts/verdicts.md has a row for every verdict', async () => {
  const stated = rowsOf(await readDoc('docs/concepts/verdicts.md')).map(([first]) => codeOf(first));
  for (const verdict of VERDICTS) expect(stated).toContain(verdict);
});

/** What each folder may import, by the rules that are checked: others of which values, and of which types alone. */
function importRules(): [folder: string, values: string, types: string][] {
  const { forbidden } = createRequire(import.meta.url)(join(packageRoot(), '.dependency-cruiser.cjs')) as {
    forbidden: { name: string; to: { pathNot?: string } }[];
  };
  const allowed = (rule: string): string[] => {
    const { pathNot = '' } = forbidden.find(({ name }) => name === rule)?.to ?? {};
    return /^\^\((.*)\)\/$/.exec(pathNot)?.[1]?.split('|') ?? [];
  };
  const listed = (names: string[]): string => names.join(', ') || '–';
  return forbidden.flatMap(({ name }) => {
    const [, folder = ''] = /^(.*)-values$/.exec(name) ?? [];
    if (folder === '' || !existsSync(join(packageRoot(), folder))) return [];
    const [values, types] = [allowed(`${folder}-values`), allowed(`${folder}-types`)];
    const others = values.filter((other) => other !== folder);
    return [[`\`${folder}/\``, listed(others), listed(types.filter((other) => !values.includes(other)))]];
  });
}

const architecture = await readDoc('ARCHITECTURE.md');

describe('ARCHITECTURE.md', () => {
  const stated = rowsOf(architecture);

  test('names only paths that are there', () => {
    const words = [...architecture.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
    const paths = words.filter(
      (word) => /^[\w./-]+$/.test(word) && (word.includes('/') || /\.(ts|cjs|md)$/.test(word)),
    );
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) expect(existsSync(join(packageRoot(), path)), path).toBe(true);
  });

  test('has a row for every folder under a rule of imports, with what it may import', () => {
    const folders = stated.filter(([first]) => /^`\w+\/`$/.test(first ?? ''));
    expect(folders.map(([folder, , values, types]) => [folder, values, types]).sort()).toEqual(importRules().sort());
  });

  test('draws every phase that is set, and every outcome', () => {
    const [research = '', trial = '', run] = blocksOf(architecture, 'mermaid');
    expect(run).toContain('[*]');
    for (const phase of PHASES.filter((name) => name !== 'failed')) expect(research).toContain(`--> ${phase}:`);
    for (const status of TRIAL_STATUSES) expect(trial).toContain(`--> ${status}:`);
  });

  test('has every kind of job in a row of its own, with its shape', () => {
    for (const [kind, shape] of Object.entries(JOB_SHAPES))
      expect(stated.find(([first]) => codeOf(first) === kind)?.[1]).toBe(`\`${shape}\``);
  });
});

describe.each(GUIDES)('%s', (path) => {
  test('calls no command of perpetua that there is not', async () => {
    const called = [...(await readDoc(path)).matchAll(/(?:`|npx )perpetua ([a-z]+)/g)].map((match) => match[1]);
    const there = CATALOG.map(({ name }) => name);
    for (const name of called) expect(there).toContain(name);
  });

  test('links to files and headings that are there', async () => {
    const links = [...(await readDoc(path)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, file = '', heading] of links) {
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(packageRoot(), target)), `${path} → ${target}`).toBe(true);
      if (heading === undefined) continue;
      const headings = [...(await readDoc(target)).matchAll(/^#+ (.*)$/gm)].map((match) => slugOf(match[1] ?? ''));
      expect(headings, `${path} → ${target}`).toContain(heading);
    }
  });
});

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
