/** Runs the server's command line: what a user would type in a terminal, with its answer in the editor. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Server } from './server.ts';

const SCHEME = 'codeassistd-answer';
const TIME_LIMIT_MS = 60_000;

export class Program implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly answers = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;
  readonly onDidChange = this.changes.event;

  constructor(private readonly server: () => Server) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** What the command prints; its error line where it fails. */
  async run(args: readonly string[]): Promise<string> {
    const found = await this.server().find();
    if ('missing' in found) {
      return found.missing;
    }
    return new Promise((resolve) => {
      execFile(found.program, args, { cwd: homedir(), timeout: TIME_LIMIT_MS }, (error, stdout, stderr) => {
        resolve((error ? stdout + stderr || error.message : stdout).trim());
      });
    });
  }

  /** Show what the command prints as a page that cannot be edited. */
  async show(title: string, args: readonly string[]): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: title });
    this.answers.set(title, await this.run(args));
    this.changes.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Run the command where its progress can be watched. */
  async inTerminal(args: readonly string[]): Promise<void> {
    const found = await this.server().find();
    if ('missing' in found) {
      void vscode.window.showWarningMessage(`codeassistd: ${found.missing}.`);
      return;
    }
    const terminal = vscode.window.createTerminal({ name: 'codeassistd', shellPath: found.program, shellArgs: [...args] });
    terminal.show();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.answers.get(uri.path) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}
