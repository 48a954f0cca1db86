/**
 * A browser with WebKitGTK in it, for the tests: one window of tabs, on the disk profile in the folder that it is given.
 * WebKit's own MiniBrowser keeps nothing on the disk while it is driven, and so nothing of it survives to be looked at.
 *
 * `gjs -m webkit-browser.js FOLDER SCRIPT PORT`, started by WebKitWebDriver. SCRIPT runs in each page before any of its own.
 * What a page posts to `webkit.messageHandlers.test` is sent on to the PORT of this machine, a line each. The first tab is
 * seen, as the one in front; the others are hidden behind it.
 */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=3.0';
import WebKit from 'gi://WebKit2?version=4.1';
import System from 'system';

const [profile, script, port] = System.programArgs;
Gtk.init(null);

const context = WebKit.WebContext.new_with_website_data_manager(
  new WebKit.WebsiteDataManager({
    base_data_directory: `${profile}/data`,
    base_cache_directory: `${profile}/cache`,
  }),
);
const scripts = new WebKit.UserContentManager();
scripts.add_script(
  WebKit.UserScript.new(
    script,
    WebKit.UserContentInjectedFrames.TOP_FRAME,
    WebKit.UserScriptInjectionTime.START,
    null,
    null,
  ),
);
// Held, because it is closed when it is collected.
const connection = new Gio.SocketClient().connect_to_host(`127.0.0.1:${port}`, Number(port), null);
const lines = new Gio.DataOutputStream({ base_stream: connection.get_output_stream() });
scripts.connect('script-message-received::test', (_manager, message) => {
  lines.put_string(`${message.get_js_value().to_string()}\n`, null);
});
scripts.register_script_message_handler('test');
const settings = new WebKit.Settings({ enable_write_console_messages_to_stdout: true });
const loop = GLib.MainLoop.new(null, false);
const tabs = new Gtk.Notebook();
const window = new Gtk.Window({ default_width: 1280, default_height: 800, child: tabs });

// As browsers end when their last tab is closed.
tabs.connect('page-removed', () => {
  if (tabs.get_n_pages() === 0) loop.quit();
});

context.set_automation_allowed(true);
context.connect('automation-started', (_context, session) => {
  const info = WebKit.ApplicationInfo.new();
  info.set_name('Rota');
  session.set_application_info(info);
  session.connect('create-web-view', () => {
    const view = new WebKit.WebView({
      web_context: context,
      user_content_manager: scripts,
      settings,
      is_controlled_by_automation: true,
    });
    view.connect('close', () => view.destroy());
    view.show();
    tabs.append_page(view, null);
    return view;
  });
});
window.show_all();
loop.run();
