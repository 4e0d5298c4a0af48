// Statements about task versions, bound to a database by the store.

export { findChangedFiles } from '../task/changed-files.ts';
export { listWorkspace } from '../task/list-workspace.ts';
export {
  findPool,
  findRunSeconds,
  hasTaskVersion,
  loadOriginals,
  loadTaskFiles,
  loadTaskVersion,
  saveTaskVersion,
} from '../task/task-version.ts';
