/** Where the editor comes in: makes the parts, joins them, and tells once when the server is missing. */
import * as vscode from 'vscode';
import { ChatView } from './chat/chatView.ts';
import { registerCommands } from './commands.ts';
import { Program } from './program.ts';
import { Server } from './server.ts';
import { StatusBar } from './statusBar.ts';

const TOLD_MISSING = 'toldMissing';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('codeassistd', { log: true });
  const started = new Server(settingKeys(context), output, refresh);
  server = started;
  const statusBar = new StatusBar(() => started);
  const program = new Program(() => started);
  const chat = new ChatView(context.extensionUri, context.workspaceState, () => started);

  function refresh(): void {
    statusBar.refresh();
    void chat.restore();
    void setContext('serverFound', started.missing === '');
    void setContext('modelReady', started.told?.state === 'ready' || started.told?.state === 'indexing');
    void setContext('hasSuggested', started.hasSuggested);
  }

  context.subscriptions.push(
    output,
    statusBar,
    program,
    chat,
    registerCommands({ server: started, program, statusBar, chat }),
    vscode.window.onDidChangeActiveTextEditor(() => statusBar.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('codeassistd.server.path')) {
        void started.restart();
      }
      statusBar.refresh();
    }),
  );
  statusBar.refresh();
  await started.restart();
  if (started.missing !== '') {
    await tellMissing(context, started.missing);
  }
}

export function deactivate(): Promise<void> | undefined {
  return server?.dispose();
}

/** Once, with what helps; afterwards the status bar says it. */
async function tellMissing(context: vscode.ExtensionContext, missing: string): Promise<void> {
  if (context.globalState.get<string>(TOLD_MISSING) === missing) {
    return;
  }
  await context.globalState.update(TOLD_MISSING, missing);
  const choice = await vscode.window.showWarningMessage(`codeassistd: ${missing}.`, 'How to Install', 'Choose Path');
  if (choice === 'How to Install') {
    await vscode.commands.executeCommand('codeassistd.openWalkthrough');
  } else if (choice === 'Choose Path') {
    await vscode.commands.executeCommand('codeassistd.choosePath');
  }
}

function settingKeys(context: vscode.ExtensionContext): string[] {
  const { contributes } = context.extension.packageJSON as {
    contributes: { configuration: { properties: Record<string, unknown> } };
  };
  return Object.keys(contributes.configuration.properties);
}

function setContext(name: string, value: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', `codeassistd.${name}`, value);
}
