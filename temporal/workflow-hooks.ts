/**
 * Takes back what Temporal's SDK sets for a whole thread as soon as workflows run in it: a hook
 * that runs code for each promise, so that the web UI can show where a workflow waits, and stack
 * traces by the workflows' source map. In a thread that does the work as well, the hook would take
 * more time than the work. Call after each `Worker.create`.
 */
export async function removeWorkflowHooks(): Promise<void> {
  const { globalHandlers } = await import('@temporalio/worker/lib/workflow/vm-shared.js')
  globalHandlers.uninstall()
}
