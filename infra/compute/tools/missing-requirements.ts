import type { ToolNeeds } from '../../../domain/tools/needs.ts';
import { readRequirement, satisfies, versionIn, type Requirement } from '../../../domain/tools/requirement.ts';
import { inYaml } from '../../../domain/tools/task-line.ts';
import { pathOf } from '../run-protocol/environment.ts';
import { locateMissing } from './locate-missing.ts';
import type { ToolHost } from './tool-host.ts';

/** Requirements of a task that its host does not meet: a sentence for each, with what the host has and the remedy. */
export async function missingRequirements(host: ToolHost, { path, requires }: ToolNeeds): Promise<string[]> {
  const wanted = requires.flatMap((text) => readRequirement(text) ?? []);
  if (wanted.length === 0) return [];
  const words = wanted.flatMap(({ kind, name, bounds }) => [
    kind === 'command' && bounds.length === 0 ? 'present' : kind,
    name,
  ]);
  const lines = await host.runTools(['tools_required', pathOf(host, path), ...words]);
  const sentences: string[] = [];
  for (const [index, requirement] of wanted.entries()) {
    const got = foundVersion(requirement, lines[index] ?? '');
    if (got === null) continue;
    const todo = (await adviceFromElsewhere(host, requirement, path)) ?? 'install it, or remove it from requires';
    sentences.push(`requires: expected ${requirement.text} on host ${host.host}, got ${got}; ${todo}`);
  }
  return sentences;
}

/** Description of what a host has in place of a requirement; null if the requirement is met. */
function foundVersion({ kind, name, bounds }: Requirement, line: string): string | null {
  const [word, location = '', second = '', third = ''] = line.split('\t');
  if (kind === 'python') {
    if (word === 'python' && third !== '') return null;
    return word === 'python' ? `python3 ${second} of ${location} without the module ${name}` : 'no python3';
  }
  if (word !== 'at') return 'nothing';
  if (bounds.length === 0) return null;
  const version = versionIn(second);
  if (version === null) return `${location}, which reports no version`;
  return satisfies(version, bounds) ? null : `${version} of ${location}`;
}

/** Advice with the line of the task that makes the requirement visible, if the host has it elsewhere; else null. */
async function adviceFromElsewhere(
  host: ToolHost,
  { kind, name, bounds }: Requirement,
  path: readonly string[],
): Promise<string | null> {
  const { found } = await locateMissing(host, { kind, name }, { path, beside: [] });
  for (const { folder, refused, closed, userSite } of found) {
    if (refused !== null || closed !== null || userSite !== null) continue;
    if (bounds.length > 0) {
      const [line = ''] = await host.runTools(['tools_required', pathOf(host, [folder]), kind, name]);
      if (foundVersion({ text: '', kind, name, bounds }, line) !== null) continue;
    }
    return `${folder} has it: under run, add  path: ${inYaml([folder, ...path])}`;
  }
  return null;
}
