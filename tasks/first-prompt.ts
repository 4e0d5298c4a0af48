import { readsOf } from '../domain/search/context/table.ts';
import { packagesIn } from '../domain/prompt/packages.ts';
import type { PromptInput } from '../domain/prompt/prompt-input.ts';
import type { LoadedTask } from './load.ts';
import { mutableTexts } from './folder/mutable-texts.ts';
import { shownFiles } from './folder/shown-files.ts';

/** The input of a task's first prompt, before any trial ran. It does not describe the hosts. */
export const firstPromptInput = (
  loaded: Pick<LoadedTask, 'task' | 'prompt' | 'workspace' | 'mutablePaths' | 'environmentFiles'>,
): PromptInput => ({
  task: loaded.task,
  prompt: loaded.prompt,
  files: mutableTexts(loaded.workspace, loaded.mutablePaths).texts,
  packages: (loaded.environmentFiles ?? [])
    .filter(({ path }) => path === loaded.task.environment?.lock)
    .flatMap(({ content }) => packagesIn(new TextDecoder().decode(content))),
  readOnly: shownFiles(loaded.workspace, loaded),
  otherFiles: loaded.workspace
    .filter(({ path }) => !loaded.mutablePaths.includes(path))
    .map(({ path, content }) => ({ path, bytes: content.length })),
  parent: null,
  incumbent: null,
  baseline: null,
  history: [],
  notes: [],
  ...(readsOf(loaded.task.search.context).memory ? { memory: null } : {}),
});
