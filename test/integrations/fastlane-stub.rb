# Runs the action with the parts of fastlane that it uses.
# Reads { "params": …, "context": … } from standard input and prints { "outputs": …, "context": …, "log": … }.
require 'json'

module FastlaneCore
  class Interface
    class FastlaneError < StandardError; end
  end

  class ConfigItem
    attr_reader :key, :env_name, :options

    def initialize(key:, env_name:, **options)
      @key, @env_name, @options = key, env_name, options
    end

    def value_of(given)
      value = given.fetch(key.to_s) { ENV.fetch(env_name, options[:default_value]) }
      value = value == 'true' if options[:type] == Fastlane::Boolean && value.is_a?(String)
      raise Interface::FastlaneError, "No value found for '#{key}'" if value.nil? && !options[:optional]
      options[:verify_block]&.call(value) unless value.nil?
      value
    end
  end
end

module Fastlane
  class Boolean; end

  module UI
    LOG = []
    %i[message important success error].each { |level| define_singleton_method(level) { |text| LOG << text } }

    def self.user_error!(text)
      raise FastlaneCore::Interface::FastlaneError, text
    end
  end

  module Actions
    def self.lane_context
      @lane_context ||= {}
    end
  end

  class Action
    def self.lane_context
      Actions.lane_context
    end
  end
end

# The file that the plugin requires, which would need the gem.
$LOADED_FEATURES << File.expand_path('fastlane/action.rb', __dir__)
$LOAD_PATH.unshift(__dir__, ARGV.fetch(0))
require 'fastlane/plugin/slipway'

given = JSON.parse($stdin.read)
action = Fastlane::Actions::SlipwayUploadAction
action.lane_context.merge!(given['context'].transform_keys(&:to_sym))
result = {}
begin
  params = action.available_options.to_h { |item| [item.key, item.value_of(given['params'])] }
  result[:outputs] = action.run(params)
rescue FastlaneCore::Interface::FastlaneError => e
  result[:error] = e.message
end
puts JSON.generate(result.merge(context: action.lane_context, log: Fastlane::UI::LOG, names: action.available_options.map(&:key), shared: action.output.map(&:first)))
