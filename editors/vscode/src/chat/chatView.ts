/** The chat view: holds the conversation that is shown, asks the server, and puts code where the user wants it. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Server } from '../server.ts';
import { answered, asked, ended, failed, grown, nameOf, restored } from './conversation.ts';
import { pageOf } from './page.ts';
import { CHAT, deltaOf, type FromPage, type Listed, type Reply, type Said, type ToPage, type Turn } from './wire.ts';

/** What becomes of the turns by something that has happened. */
type Change = (turns: readonly Turn[]) => Turn[];

export const CHAT_VIEW = 'codeassistd.chatView';
/** Under which the workspace remembers the conversation that was shown last. */
const SHOWN = 'chat.session';

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  private page: vscode.WebviewView | undefined;
  /** The conversation that is shown; empty while it has no name, since nothing was asked in it. */
  private session = '';
  private turns: readonly Turn[] = [];
  private answering: vscode.CancellationTokenSource | undefined;
  private isRestored = false;
  /** The page has said that it hears; what it was told before is lost. */
  private isHeard = false;
  private wantsFocus = false;
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly memory: vscode.Memento,
    private readonly server: () => Server,
  ) {
    this.parts = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(CHAT_VIEW, this),
      vscode.window.onDidChangeActiveTextEditor(() => this.tellAbout()),
      vscode.window.onDidChangeTextEditorSelection(() => this.tellAbout()),
    );
  }

  resolveWebviewView(page: vscode.WebviewView): void {
    this.page = page;
    page.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist'), vscode.Uri.joinPath(this.extension, 'media')],
    };
    page.webview.onDidReceiveMessage((message: FromPage) => this.hear(message));
    page.onDidDispose(() => {
      this.page = undefined;
      this.isHeard = false;
    });
    page.webview.html = pageOf(page.webview, this.extension);
  }

  /** Once there is a page and a server: the workspace's conversation that was shown last, or the newest one. */
  async restore(): Promise<void> {
    if (this.isRestored || this.page === undefined || !this.server().hasChat) {
      return;
    }
    this.isRestored = true;
    await this.trying(async () => {
      const session = this.memory.get<string>(SHOWN) ?? (await this.listed())[0]?.session ?? '';
      // The user may have asked meanwhile.
      if (session !== '' && this.turns.length === 0) {
        await this.open(session);
      }
    });
  }

  /** Show the view, with the cursor in the question. */
  async focus(): Promise<void> {
    this.wantsFocus = true;
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.focusPage();
  }

  /** Begin a conversation; it is kept once something was asked. */
  async begin(): Promise<void> {
    this.leave();
    await this.show('', []);
    await this.focus();
  }

  /** Have the user choose one of the workspace's conversations, and show it. */
  async choose(): Promise<void> {
    const chosen = await this.pick('Open a conversation');
    if (chosen !== undefined) {
      this.leave();
      await this.open(chosen);
      await this.focus();
    }
  }

  /** Have the user choose a conversation that is deleted, also on the disk. */
  async remove(): Promise<void> {
    const chosen = await this.pick('Delete a conversation');
    if (chosen === undefined) {
      return;
    }
    await this.trying(async () => {
      await this.server().request(`${CHAT}/delete`, { session: chosen });
      if (chosen === this.session) {
        await this.show('', []);
      }
    });
  }

  /** End the answer that is being written; what was said stays. */
  cancel(): void {
    this.answering?.cancel();
  }

  dispose(): void {
    this.leave();
    this.parts.dispose();
  }

  /** End the answer that is being written, and hear nothing more of it: another conversation is to be shown. */
  private leave(): void {
    if (this.answering !== undefined) {
      this.cancel();
      this.answering = undefined;
      this.turns = ended(this.turns);
    }
  }

  private async hear(message: FromPage): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.isHeard = true;
        this.draw();
        this.focusPage();
        return this.restore();
      case 'ask':
        return this.ask(message.text);
      case 'cancel':
        return this.cancel();
      case 'insert':
        return insert(message.code);
      case 'copy':
        return vscode.env.clipboard.writeText(message.code);
      case 'open':
        await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(message.uri, true));
    }
  }

  private async open(session: string): Promise<void> {
    await this.trying(async () => {
      const { turns } = (await this.server().request(`${CHAT}/open`, { session })) as { turns: Said[] };
      await this.show(session, restored(turns));
    });
  }

  private async ask(text: string): Promise<void> {
    if (this.answering !== undefined) {
      return;
    }
    const answering = new vscode.CancellationTokenSource();
    this.answering = answering;
    this.turns = asked(this.turns, text);
    this.draw();
    const change = await this.answer(text, answering).catch((error: unknown): Change =>
      answering.token.isCancellationRequested ? ended : (turns) => failed(turns, messageOf(error)),
    );
    answering.dispose();
    // Else the user has gone to another conversation.
    if (this.answering === answering) {
      this.answering = undefined;
      this.turns = change(this.turns);
      this.draw();
    }
  }

  /** What becomes of the turns by the whole answer. */
  private async answer(text: string, answering: vscode.CancellationTokenSource): Promise<Change> {
    const server = this.server();
    if (!server.hasChat) {
      throw new Error(server.missing || 'this server has no conversations, or is still starting');
    }
    const session = this.session || nameOf(text, (await this.listed()).map((one) => one.session));
    if (answering.token.isCancellationRequested) {
      return ended;
    }
    if (this.session !== session) {
      this.session = session;
      await this.memory.update(SHOWN, session);
    }
    const token = randomUUID();
    const hearing = server.onProgress(token, (value) => {
      if (this.answering === answering) {
        this.grow(deltaOf(value));
      }
    });
    try {
      const question = { session, text, partialResultToken: token, ...circumstances() };
      const reply = (await server.request(CHAT, question, answering.token)) as Reply;
      return (turns) => answered(turns, reply);
    } finally {
      hearing.dispose();
    }
  }

  private grow(text: string): void {
    this.turns = grown(this.turns, text);
    this.tell({ kind: 'delta', text });
  }

  private async show(session: string, turns: readonly Turn[]): Promise<void> {
    this.session = session;
    this.turns = turns;
    this.draw();
    await this.memory.update(SHOWN, session === '' ? undefined : session);
  }

  private draw(): void {
    if (this.page !== undefined) {
      this.page.description = this.session;
    }
    const isAnswering = this.answering !== undefined;
    this.tell({ kind: 'show', view: { session: this.session, turns: this.turns, isAnswering, about: aboutNow() } });
  }

  private focusPage(): void {
    if (this.isHeard && this.wantsFocus) {
      this.wantsFocus = false;
      this.tell({ kind: 'focus' });
    }
  }

  private tellAbout(): void {
    this.tell({ kind: 'about', about: aboutNow() });
  }

  private tell(message: ToPage): void {
    void this.page?.webview.postMessage(message);
  }

  private async listed(): Promise<Listed[]> {
    return ((await this.server().request(`${CHAT}/list`, {})) as { sessions: Listed[] }).sessions;
  }

  private async pick(title: string): Promise<string | undefined> {
    return this.trying(async () => {
      const items = (await this.listed()).map(({ session, n_turns }) => ({
        label: session,
        description: n_turns === 1 ? '1 turn' : `${n_turns} turns`,
      }));
      if (items.length === 0) {
        void vscode.window.showInformationMessage('codeassistd: no conversation in this workspace yet.');
        return undefined;
      }
      return (await vscode.window.showQuickPick(items, { title }))?.label;
    });
  }

  /** Do something that may fail, and tell the user in one line if it does. */
  private async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      void vscode.window.showWarningMessage(`codeassistd: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** What goes with a question: the file in front, and what is selected in it. */
function circumstances(): object {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return {};
  }
  const { selection, document } = editor;
  const textDocument = { uri: document.uri.toString() };
  return selection.isEmpty
    ? { textDocument }
    : { textDocument, selection: { start: selection.start, end: selection.end } };
}

function aboutNow(): string {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return '';
  }
  const { selection, document } = editor;
  const name = vscode.workspace.asRelativePath(document.uri);
  return selection.isEmpty ? name : `${name}, lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
}

/** Put code at the cursor of the file in front, in place of what is selected, indented as there. */
async function insert(code: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showWarningMessage('codeassistd: open a file first; the code goes to its cursor.');
    return;
  }
  await editor.insertSnippet(new vscode.SnippetString().appendText(code));
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
