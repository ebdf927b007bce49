require 'fastlane/action'
require_relative '../helper/slipway_helper'

module Fastlane
  module Actions
    module SharedValues
      SLIPWAY_BUILD_URL = :SLIPWAY_BUILD_URL
      SLIPWAY_PAGE_URL = :SLIPWAY_PAGE_URL
      SLIPWAY_QR_URL = :SLIPWAY_QR_URL
      SLIPWAY_REVISION = :SLIPWAY_REVISION
      SLIPWAY_SIZE = :SLIPWAY_SIZE
      SLIPWAY_SIZE_CHANGE = :SLIPWAY_SIZE_CHANGE
      SLIPWAY_JSON = :SLIPWAY_JSON
    end

    class SlipwayUploadAction < Action
      PACKAGES = %w[.ipa .apk .aab .apks].freeze

      def self.run(params)
        conditions = Helper::SlipwayHelper.fail_conditions(params[:fail_on])
        client = Helper::SlipwayHelper.new(server: params[:server], owner: params[:owner], key: params[:key])
        say(:message, "Uploading #{params[:file]} to #{params[:server]} …")
        answer = client.upload(params[:file], fields(params))
        outputs = Helper::SlipwayHelper.outputs(answer)
        outputs.each { |name, value| lane_context[:"SLIPWAY_#{name.upcase}"] = value }
        (answer['results']['warnings'] || []).each { |warning| say(:important, warning) }
        say(:success, "Uploaded as revision #{outputs[:revision]}: #{outputs[:page_url] || outputs[:build_url]}")
        failures = Helper::SlipwayHelper.failures(conditions, answer['results'])
        failures += client.failed_checks(conditions, answer['results'])
        say(:user_error!, failures.join("\n")) unless failures.empty?
        outputs
      rescue Helper::SlipwayHelper::Failure => e
        say(:user_error!, e.message)
      end

      # Every text may come from a server, a package or the name of a file.
      def self.say(level, text)
        UI.public_send(level, Helper::SlipwayHelper.inert(text.to_s))
      end

      # Empty inputs are absent, as variables of CI services are that are not set.
      def self.fields(params)
        given = {
          'message' => params[:message],
          'distribution_name' => params[:page],
          'release_note' => params[:release_notes],
          'disable_notify' => params[:notify] ? nil : 'true'
        }
        given.reject { |_, value| value.to_s.empty? }
      end

      # What the lane built: the newest first, by platform.
      def self.built_file
        android = %i[GRADLE_AAB_OUTPUT_PATH GRADLE_APK_OUTPUT_PATH]
        names = lane_context[:PLATFORM_NAME] == :android ? [*android, :IPA_OUTPUT_PATH] : [:IPA_OUTPUT_PATH, *android]
        names.map { |name| lane_context[name] }.find { |path| !path.to_s.empty? }
      end

      def self.option(name, description, **more)
        common = { key: name, env_name: "SLIPWAY_#{name.upcase}", description: description, optional: true, type: String }
        FastlaneCore::ConfigItem.new(**common.merge(more))
      end

      def self.available_options
        [
          option(:server, "The server, such as https://apps.example.com (also SLIPWAY_URL)",
                 default_value: ENV.fetch('SLIPWAY_URL', nil), default_value_dynamic: true,
                 verify_block: proc do |value|
                   Helper::SlipwayHelper.server_address(value)
                 rescue Helper::SlipwayHelper::Failure => e
                   say(:user_error!, e.message)
                 end, optional: false),
          option(:owner, "The user or project that the app belongs to", optional: false,
                 verify_block: proc { |value| say(:user_error!, "owner must be a name, not #{value}") if value.to_s.match?(/\A\.*\z/) }),
          option(:file, "The .ipa, .apk, .aab or .apks; the one that the lane built by default", optional: false,
                 default_value: built_file, default_value_dynamic: true,
                 verify_block: proc do |value|
                   say(:user_error!, "No file at #{value}") unless File.file?(value)
                   next if PACKAGES.include?(File.extname(value).downcase)
                   say(:user_error!, "file must be one of #{PACKAGES.join(', ')}: #{value}")
                 end),
          option(:page, "Create or update the page with this name, for example a branch name"),
          option(:message, "What changed in this build"),
          option(:release_notes, "Shown on the page; the message by default"),
          option(:notify, "Whether to email testers", type: Boolean, default_value: true),
          option(:fail_on, "Fail after the upload if nobody can install the build (install), if a check of the server " \
                           "failed and is not accepted (#{Helper::SlipwayHelper::CHECKS.join(', ')}), " \
                           "or if the file grew more than a limit (size=5%, size=2MB); several with commas"),
          option(:key, "An API key (also SLIPWAY_API_KEY); without one, the ID token of the job is exchanged",
                 sensitive: true)
        ]
      end

      def self.description
        "Uploads an IPA, APK or app bundle to a Slipway server"
      end

      def self.authors
        ["Slipway"]
      end

      def self.output
        [
          ['SLIPWAY_BUILD_URL', 'Address of the build'],
          ['SLIPWAY_PAGE_URL', 'Address of the distribution page'],
          ['SLIPWAY_QR_URL', 'Address of a picture with the QR code of the page'],
          ['SLIPWAY_REVISION', 'Number of the build within its app'],
          ['SLIPWAY_SIZE', 'Size of the file in bytes'],
          ['SLIPWAY_SIZE_CHANGE', 'Difference to the size of the build that the page served before, in bytes'],
          ['SLIPWAY_JSON', 'The complete answer of the server, as JSON']
        ]
      end

      def self.return_value
        "The outputs, as a hash with lower-case names, such as :page_url"
      end

      def self.return_type
        :hash
      end

      def self.category
        :beta
      end

      def self.is_supported?(platform)
        %i[ios android].include?(platform)
      end

      def self.example_code
        ['slipway_upload(server: "https://apps.example.com", owner: "acme", page: git_branch)']
      end
    end
  end
end
