// Asks the distribution page of this app for a newer build. Android 6 or newer, no dependencies.
// Needs <uses-permission android:name="android.permission.INTERNET"/>.
package com.example.updates

import android.app.Activity
import android.app.AlertDialog
import android.content.Context
import android.content.Intent
import android.net.Uri
import android.os.Build
import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.security.MessageDigest
import kotlin.concurrent.thread
import org.json.JSONObject

/** [pageUrl]: the address of the distribution page, such as https://apps.example.com/distributions/7a9c…. */
class UpdateCheck(pageUrl: String) {
    /** [versionName] is empty if the page asks for a passcode or to sign in; [installUrl] then opens the page, and otherwise starts the installation. */
    class Update(val versionName: String, val releaseNote: String, val installUrl: String, val mandatory: Boolean)

    private val page = URL(pageUrl)
    private val key = page.path.trimEnd('/').substringAfterLast('/')

    /** Null without an update. Blocks, so call it on a background thread. Throws IOException. */
    fun find(context: Context): Update? {
        // The SHA-256 of the installed package tells exactly which build runs.
        val query = mapOf(
            "platform" to "android",
            "package" to context.packageName,
            "sha256" to sha256(File(context.applicationInfo.sourceDir)),
            "version_code" to versionCode(context).toString(),
            "os_version" to Build.VERSION.SDK_INT.toString()
        ).map { (name, value) -> "$name=${Uri.encode(value)}" }.joinToString("&")
        val connection = URL(page, "/api/v1/pages/$key/update?$query").openConnection() as HttpURLConnection
        try {
            connection.connectTimeout = 10_000
            connection.readTimeout = 10_000
            if (connection.responseCode != 200) throw IOException("update check: ${connection.responseCode}")
            val answer = JSONObject(connection.inputStream.bufferedReader().use { it.readText() })
            if (!answer.getBoolean("update_available")) return null
            val latest = answer.getJSONObject("latest")
            return Update(
                if (latest.isNull("version_name")) latest.getString("version_code") else latest.getString("version_name"),
                latest.getString("release_note"),
                answer.getJSONObject("install").getString("url"),
                latest.getBoolean("mandatory")
            )
        } finally {
            connection.disconnect()
        }
    }

    /** Offers an update in a dialog. Without a network, nothing happens. */
    fun offer(activity: Activity) {
        thread {
            val update = try { find(activity) } catch (error: IOException) { null }
            if (update != null) activity.runOnUiThread { show(activity, update) }
        }
    }

    private fun show(activity: Activity, update: Update) {
        if (activity.isFinishing) return
        val dialog = AlertDialog.Builder(activity)
            .setTitle(if (update.versionName.isEmpty()) "An update is available" else "Version ${update.versionName} is available")
            .setMessage(update.releaseNote)
            .setPositiveButton("Install") { _, _ ->
                activity.startActivity(Intent(Intent.ACTION_VIEW, Uri.parse(update.installUrl)))
            }
            .setCancelable(!update.mandatory)
        if (!update.mandatory) dialog.setNegativeButton("Later", null)
        dialog.show()
    }

    private fun versionCode(context: Context): Int {
        @Suppress("DEPRECATION")
        return context.packageManager.getPackageInfo(context.packageName, 0).versionCode
    }

    private fun sha256(file: File): String {
        val digest = MessageDigest.getInstance("SHA-256")
        file.inputStream().use { input ->
            val buffer = ByteArray(64 * 1024)
            while (true) {
                val count = input.read(buffer)
                if (count < 0) break
                digest.update(buffer, 0, count)
            }
        }
        return digest.digest().joinToString("") { "%02x".format(it) }
    }
}
